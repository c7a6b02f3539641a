"""Two network namespaces and a link between them, of a rate that is asked for: machines that share a kernel. Needs root."""

import os
import pathlib
import subprocess
import time

# The kernel hands packets on in bundles of so many bytes, of which a bucket has to hold one.
SEGMENT = 65536
# In either namespace.
INTERFACE = "link0"
ADDRESS = "10.213.77."
# How senders find out how fast they may send, whatever this machine is told: any kernel has Reno and lets it be chosen. BBR takes
# the few microseconds that an empty link between namespaces needs for all that may be under way.
CONGESTION = "net.ipv4.tcp_congestion_control=reno"


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Link:
    """The namespaces of ranks 0 and 1."""

    def __init__(self):
        self.names = [f"remat{os.getpid()}-{rank}" for rank in range(2)]

    def __enter__(self):
        for name in self.names:
            ip("netns", "add", name)
        first, second = self.names
        ip("-n", first, "link", "add", INTERFACE, "type", "veth", "peer", "name", INTERFACE, "netns", second)
        for rank, name in enumerate(self.names):
            ip("-n", name, "addr", "add", f"{self.address(rank)}/24", "dev", INTERFACE)
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "link", "set", INTERFACE, "up")
            subprocess.run([*self.within(rank), "sysctl", "-qw", CONGESTION], check=True, capture_output=True, text=True)
        # Either end has a carrier a moment after both are up.
        while any(self.read(rank, "operstate") != "up" for rank in range(2)):
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    @staticmethod
    def address(rank):
        return f"{ADDRESS}{rank + 1}"

    def within(self, rank):
        """What stands before a command of that rank."""
        return ("ip", "netns", "exec", self.names[rank])

    def shape(self, gigabits):
        """What each sends goes at so many Gbit/s from now on."""
        bits = int(gigabits * 1e9)
        # A millisecond's bytes, and no less than a packet.
        burst = max(bits // 8 // 1000, 2 * SEGMENT)
        for name in self.names:
            words = ("qdisc", "replace", "dev", INTERFACE, "root", "tbf", "rate", f"{bits}bit")
            subprocess.run(
                ["tc", "-n", name, *words, "burst", str(burst), "latency", "50ms"],
                check=True, capture_output=True, text=True,
            )  # fmt: skip

    def down(self, rank):
        ip("-n", self.names[rank], "link", "set", INTERFACE, "down")

    def sent(self, rank):
        """Bytes that have left it, headers included."""
        return int(self.read(rank, "statistics/tx_bytes"))

    def read(self, rank, what):
        """What the kernel says of that end."""
        words = [*self.within(rank), "cat", f"/sys/class/net/{INTERFACE}/{what}"]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def unavailable():
    """Why there can be no namespaces here; nothing if there can be."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not any(pathlib.Path(folder, "tc").exists() for folder in os.get_exec_path()):
        return "there is no tc, which iproute2 has"
    try:
        with Link() as link:
            link.shape(1)
    except (OSError, subprocess.CalledProcessError) as e:
        return f"no network namespaces: {getattr(e, 'stderr', None) or e}"
    return None
