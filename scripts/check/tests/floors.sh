#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The check of floors finds what it is there to find: each case is a tiny tree and the one line
# that floors.py has to print for it. Prints a line per case that went wrong.

check=$(realpath "$(dirname "$0")/../floors.py")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 2
failures=0

# file NAME TEXT: a source and, if it is one in C, its object
file() {
	mkdir -p "$(dirname "src/$1")" "$(dirname "obj/$1")"
	echo "$2" > "src/$1"
	[ "${1%.c}" = "$1" ] || ${CC:-cc} -c -o "obj/${1%.c}.o" "src/$1" || exit 2
}

# house: roof calls middle, middle calls ground
house() {
	rm -rf src obj
	file roof.c "void middle(void); void roof(void) { middle(); }"
	file middle.c "void ground(void); void middle(void) { ground(); }"
	file ground.c "void ground(void) { }"
	printf 'roof\nmiddle # on the stairs\nground\n' > src/FLOORS
}

# expect NAME LINE: what floors.py says of the tree; no LINE: nothing, and success
expect() {
	local said status=0 wanted=0

	[ -z "$2" ] || wanted=1
	said=$(python3 "$check" src obj 2>&1) || status=$?
	if [ "$said" != "${2:+src: $2}" ] || [ $status -ne $wanted ]; then
		echo "$1: status $status: ${said:-nothing}"
		failures=$((failures + 1))
	fi
}

house
expect "calls go down" ""

house
file ground.c "void roof(void); void ground(void) { roof(); }"
expect "upward call" "ground.c uses roof of roof.c, which is not below it"
echo "up: ground -> roof" >> src/FLOORS
expect "upward call, allowed" ""

house
file roof.c "extern int variable; void middle(void); int roof(void) { middle(); return variable; }"
file ground.c "int variable; void ground(void) { }"
printf 'ground\nroof\nmiddle\n' > src/FLOORS
expect "upward use of data, and one more" "middle.c uses ground of ground.c, which is not below it
src: roof.c uses variable of ground.c, which is not below it"

house
printf 'roof\nmiddle ground\n' > src/FLOORS
expect "call within a floor" "middle.c uses ground of ground.c, which is not below it"

house
printf 'roof\nmiddle\n' > src/FLOORS
expect "file missing from the list" "ground is not in FLOORS"

house
echo cellar >> src/FLOORS
expect "name without a file" "FLOORS names cellar, which does not exist"

house
echo ground >> src/FLOORS
expect "name listed twice" "FLOORS names ground twice"

house
echo "up: ground -> roof" >> src/FLOORS
expect "allowed call that is gone" "FLOORS allows ground -> roof, which no longer happens"

house
rm obj/ground.o
expect "file without an object" "ground.c has no object obj/ground.o"

house
file roof.h ""
file ground.c '#include "roof.h"
void ground(void) { }'
expect "upward include" "ground.c includes roof.h, which is not below it"
file types.h ""
file ground.c '#include "types.h"
void ground(void) { }'
expect "include of a header that is not listed" ""

house
file roof.h "void roof(void);"
file ground.c 'void roof(void); void ground(void) { roof(); }'
echo "call: ground -> roof" >> src/FLOORS
expect "upward call, allowed without its header" ""
file ground.c '#include "roof.h"
void ground(void) { roof(); }'
expect "upward call with the header" "ground.c includes roof.h, which is not below it"

rm -rf src obj
file top/a.c "void b(void); void a(void) { b(); }"
file low/b.c "void b(void) { }"
printf 'top\nlow\n' > src/FLOORS
expect "folders" ""
file low/c.c "void a(void); void c(void) { a(); }"
expect "upward call between folders" "low/c.c uses a of top/a.c, which is not below it"
echo "up: low/b -> top" >> src/FLOORS
file low/b.c "void a(void); void b(void) { a(); }"
expect "upward call between folders, allowed for another file" "low/c.c uses a of top/a.c, which is not below it"
file low/c.c ""
file top/a.h ""
file low/b.c '#include "../top/a.h"
void a(void); void b(void) { a(); }'
expect "upward call and include between folders, allowed" ""

[ "$failures" -eq 0 ]
