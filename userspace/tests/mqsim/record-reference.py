#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Record MQSim's results for the traces in cases.py.

    record-reference.py MQSIM [TRACE-FOLDER]             write reference.json
    record-reference.py --verify MQSIM [TRACE-FOLDER]    compare reference.json with MQSim

MQSIM: an unchanged git checkout of https://github.com/CMU-SAFARI/MQSim, built as its README
says. TRACE-FOLDER: real traces as .csv.gz; without it their records stay as they are.

MQSim reports means in whole microseconds over all requests that it completed. For a trace
that fills the device first, the result is the difference of two runs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
FOLDER = os.path.join(TREE, "userspace", "tests", "mqsim")
REFERENCE = os.path.join(FOLDER, "reference.json")
sys.path.insert(0, FOLDER)
from cases import CASES, READ, RealCase  # noqa: E402


def settings(device):
    """MQSim's parameters, nested as in its file."""
    flash = {
        "Flash_Technology": "SLC",
        "CMD_Suspension_Support": "NONE",
        "Page_Read_Latency_LSB": device["read_ns"],
        "Page_Program_Latency_LSB": device["program_ns"],
        "Block_Erase_Latency": device["erase_ns"],
        "Block_PE_Cycles_Limit": 100000,
        "Suspend_Erase_Time": 0,
        "Suspend_Program_Time": 0,
        "Die_No_Per_Chip": device["dies"],
        "Plane_No_Per_Die": device["planes"],
        "Block_No_Per_Plane": device["blocks"],
        "Page_No_Per_Block": device["pages"],
        "Page_Capacity": device["page_bytes"],
        "Page_Metadat_Capacity": 0,
    }
    # The workload turns the cache off. The link is too fast to matter.
    return {
        "Host_Parameter_Set": {
            "PCIe_Lane_Bandwidth": 1000,
            "PCIe_Lane_Count": 4,
            "SATA_Processing_Delay": 0,
            "Enable_ResponseTime_Logging": "true",
            "ResponseTime_Logging_Period_Length": 0,
        },
        "Device_Parameter_Set": {
            "Seed": 1,
            "Enabled_Preconditioning": "false",
            "Memory_Type": "FLASH",
            "HostInterface_Type": "NVME",
            "IO_Queue_Depth": 65535,
            "Queue_Fetch_Size": 65535,
            "Caching_Mechanism": "SIMPLE",
            "Data_Cache_Sharing_Mode": "SHARED",
            "Data_Cache_Capacity": 1048576,
            "Address_Mapping": "PAGE_LEVEL",
            "Ideal_Mapping_Table": "true",
            "Plane_Allocation_Scheme": "CWDP",
            "Transaction_Scheduling_Policy": "OUT_OF_ORDER",
            "Overprovisioning_Ratio": device["over_provisioning"] / 100,
            "GC_Exec_Threshold": device["gc_threshold"] / 100,
            "GC_Block_Selection_Policy": "GREEDY",
            "Use_Copyback_for_GC": "false",
            "Preemptible_GC_Enabled": "true",
            "GC_Hard_Threshold": device["gc_urgent"] / 100,
            "Dynamic_Wearleveling_Enabled": "true",
            "Static_Wearleveling_Enabled": "false",
            "Preferred_suspend_erase_time_for_read": 0,
            "Preferred_suspend_erase_time_for_write": 0,
            "Preferred_suspend_write_time_for_read": 0,
            "Flash_Channel_Count": device["channels"],
            "Flash_Channel_Width": 1,
            "Channel_Transfer_Rate": device["mega_transfers"],
            "Chip_No_Per_Channel": device["chips"],
            "Flash_Comm_Protocol": "NVDDR2",
            "Flash_Parameter_Set": flash,
        },
    }


def workload(device, path):
    def numbers(count):
        return ",".join(str(number) for number in range(count))

    return {"IO_Scenario": {"IO_Flow_Parameter_Set_Trace_Based": {
        "Priority_Class": "HIGH",
        "Device_Level_Data_Caching_Mode": "TURNED_OFF",
        "Channel_IDs": numbers(device["channels"]),
        "Chip_IDs": numbers(device["chips"]),
        "Die_IDs": numbers(device["dies"]),
        "Plane_IDs": numbers(device["planes"]),
        "Initial_Occupancy_Percentage": 0,
        "File_Path": path,
        "Percentage_To_Be_Executed": 100,
        "Relay_Count": 1,
        "Time_Unit": "NANOSECOND",
    }}}


def xml(tag, value):
    if isinstance(value, dict):
        value = "".join(xml(name, inner) for name, inner in value.items())
    return f"<{tag}>{value}</{tag}>"


def write(path, text):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


def read(path):
    with open(path, encoding="ascii") as lines:
        return lines.read()


def run(mqsim, device, requests, folder):
    """Run a trace. Returns MQSim's results, the number of completed requests, and its log of
    (completion, response time) in us."""
    base = os.path.join(folder, "run")
    write(base + ".trace", "".join(f"{at} 0 {sector} {nr} {int(op == READ)}\n"
                                   for at, op, sector, nr in requests))
    write(base + ".config", xml("Execution_Parameter_Set", settings(device)))
    write(base + ".xml", xml("MQSim_IO_Scenarios", workload(device, base + ".trace")))
    out = subprocess.run([os.path.join(mqsim, "MQSim"), "-i", base + ".config",
                          "-w", base + ".xml"],
                         check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    ended = int(re.search(r"total requests serviced:(\d+)", out.stdout).group(1))
    log = [tuple(map(int, line.split()[:2]))
           for line in read(base + ".IO_Flow.No_0.log").splitlines()[1:]]
    return read(base + "_scenario_1.xml"), ended, log


def number(results, name):
    """The value of an element or an attribute of MQSim's results."""
    found = re.search(rf"<{name}>([^<]*)</{name}>|\b{name}=\"([^\"]*)\"", results)
    return float(found.group(1) or found.group(2))


def record(mqsim, case, folder):
    filling, measured = case.filling(), case.measured()
    results, ended, log = run(mqsim, case.device, filling + measured, folder)
    total = ended * number(results, "Device_Response_Time")
    if filling:
        before, ended_before, _log = run(mqsim, case.device, filling, folder)
        total -= ended_before * number(before, "Device_Response_Time")
        ended -= ended_before
    times = sorted(us for end, us in log if end >= measured[0][0] // 1000)
    values = {
        "digest": case.digest(),
        "requests": len(measured),
        "lost": len(measured) - ended,
        "mean_us": round(total / ended, 1),
        "p99_us": times[len(times) * 99 // 100],
        "erases": int(number(results, "Issued_Flash_Erase_CMD")),
    }
    reads = sum(op == READ for _at, op, _sector, _nr in measured)
    if case.single_pages and 0 < reads < len(measured):
        values["read_us"] = number(results, "Average_Read_Transaction_Turnaround_Time")
        values["write_us"] = round((total - reads * values["read_us"]) / (ended - reads), 1)
    return values


def commit_of(mqsim):
    git = ["git", "-C", mqsim]
    changes = subprocess.run(git + ["status", "--porcelain", "--untracked-files=no"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    if changes:
        sys.exit(f"{mqsim}: MQSim's files were changed:\n{changes}")
    return subprocess.run(git + ["rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def record_all(mqsim, old):
    new = {"mqsim": "https://github.com/CMU-SAFARI/MQSim", "commit": commit_of(mqsim),
           "settings": settings(CASES[0].device), "cases": {}}
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if case.missing():
                print(f"{case.name}: no {case.missing()}, record unchanged")
                if case.name in old.get("cases", {}):
                    new["cases"][case.name] = old["cases"][case.name]
                continue
            new["cases"][case.name] = record(mqsim, case, folder)
            print(f"{case.name}: {new['cases'][case.name]}")
    return new


def main():
    arguments = sys.argv[1:]
    verify = arguments[:1] == ["--verify"]
    if verify:
        arguments.pop(0)
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        sys.exit("usage: record-reference.py [--verify] MQSIM [TRACE-FOLDER]")
    mqsim = arguments[0]
    if not os.access(os.path.join(mqsim, "MQSim"), os.X_OK):
        sys.exit(f"{mqsim}: has no program MQSim; build it first")
    RealCase.folder = arguments[1] if len(arguments) == 2 else None
    old = json.loads(read(REFERENCE)) if os.path.exists(REFERENCE) else {}
    try:
        new = record_all(mqsim, old)
    except subprocess.CalledProcessError as error:
        sys.exit(str(error))
    if verify:
        sys.exit(0 if new == old else f"differs from {REFERENCE}")
    write(REFERENCE, json.dumps(new, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
