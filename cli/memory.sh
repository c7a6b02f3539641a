# What the Java virtual machine is told where there is little memory, for launchers in any shell: sets memory_options, or
# says that it could not even start and ends with 6. With a folder in memory_root in place of / for tests.

# MiB that remat takes before any tensor, in memory and in addresses.
memory_least=96
addresses_least=900
memory_options=
memory_allowed=
memory_by=

# memory_at_most MIB WHOSE: keeps the lower of two limits.
memory_at_most() {
    if [ -z "$memory_allowed" ] || [ "$1" -lt "$memory_allowed" ]; then
        memory_allowed="$1"
        memory_by="$2"
    fi
}

# memory_of_groups MOUNT GROUP FILE: the limits of a control group and of those around it.
memory_of_groups() {
    memory_group="${2%/}"
    # A container does not always see where it is.
    [ -d "$1$memory_group" ] || memory_group=
    while :; do
        if [ -r "$1$memory_group/$3" ] && read -r memory_limit <"$1$memory_group/$3" && [ "$memory_limit" != max ]; then
            memory_at_most "$((memory_limit >> 20))" "the control group ${memory_group:-/}"
        fi
        [ -n "$memory_group" ] || break
        memory_group="${memory_group%/*}"
    done
}

memory_refuse() {
    printf 'remat: %s %s MiB of memory, and remat takes %s MiB before any tensor\n' "$1" "$2" "$3" >&2
    exit 6
}

memory_free=0
if [ -r "${memory_root:-}/proc/meminfo" ]; then
    while read -r memory_name memory_kib _; do
        case "$memory_name" in MemAvailable: | SwapFree:) memory_free=$((memory_free + (memory_kib >> 10))) ;; esac
    done <"${memory_root:-}/proc/meminfo"
    memory_at_most "$memory_free" "what this machine has free"
fi
if [ -r "${memory_root:-}/proc/self/cgroup" ]; then
    while IFS=: read -r memory_number memory_controllers memory_path; do
        case "$memory_number:,$memory_controllers," in
            0:,,) memory_of_groups "${memory_root:-}/sys/fs/cgroup" "$memory_path" memory.max ;;
            *,memory,*) memory_of_groups "${memory_root:-}/sys/fs/cgroup/memory" "$memory_path" memory.limit_in_bytes ;;
        esac
    done <"${memory_root:-}/proc/self/cgroup"
fi
if [ -n "$memory_allowed" ] && [ "$memory_allowed" -lt "$memory_least" ]; then
    memory_refuse "$memory_by allows" "$memory_allowed" "$memory_least"
fi
memory_heap=
# Where there is more, the half of it that java.options leaves to objects leaves enough to code and libraries.
if [ -n "$memory_allowed" ] && [ "$memory_allowed" -lt 320 ]; then
    memory_heap=$(((memory_allowed - 64) / 2))
    memory_options=-XX:TieredStopAtLevel=1
fi
# It reserves far more addresses than it uses, and does not start where it cannot have them.
memory_addresses="$(ulimit -v)"
if [ "$memory_addresses" != unlimited ]; then
    memory_addresses=$((memory_addresses >> 10))
    [ "$memory_addresses" -ge "$addresses_least" ] ||
        memory_refuse "ulimit -v allows" "$memory_addresses" "$addresses_least"
    memory_share=$(((memory_addresses - 640) / 4))
    [ -n "$memory_heap" ] && [ "$memory_heap" -lt "$memory_share" ] || memory_heap="$memory_share"
    memory_options="$memory_options -XX:CompressedClassSpaceSize=48m -XX:ReservedCodeCacheSize=64m"
fi
[ -z "$memory_heap" ] || memory_options="$memory_options -Xmx${memory_heap}m"
# Pools of the C library keep what each thread has freed.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
