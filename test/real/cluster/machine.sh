#!/usr/bin/env bash
# A machine within the machine: its own network without any link to the outside, its own mounts and process
# ids, and a cgroup of its own. Whatever runs in it ends with it.
#   machine.sh up NAME FOLDER     stays in the foreground; the pid of its first process is in FOLDER/pid
#   machine.sh down NAME FOLDER   takes away what outlives the processes
set -euo pipefail
name=$2 folder=$3
address=10.77.0.1

# The kubelet sets them for the whole machine.
kernel_settings=(vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops
  kernel.keys.root_maxkeys kernel.keys.root_maxbytes)

cgroups() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then echo /sys/fs/cgroup; else
    for each in cpu cpuacct cpuset memory devices freezer blkio pids systemd; do echo "/sys/fs/cgroup/$each"; done
  fi
}

up() {
  sysctl "${kernel_settings[@]}" >"$folder/kernel-settings" 2>/dev/null || true
  echo 'nameserver 127.0.0.1' >"$folder/resolv.conf"
  ip netns add "$name"
  inside() { nsenter --net="/run/netns/$name" "$@"; }
  inside ip link set lo up
  # Both ends inside. Cluster addresses reach the rules of kube-proxy only where there is a route.
  inside ip link add node0 type veth peer name node0p
  inside ip link set node0p up
  inside ip addr add "$address/24" dev node0
  inside ip link set node0 up
  inside ip route add default dev node0
  inside sysctl -qw net.ipv4.ip_forward=1
  for each in $(cgroups); do mkdir -p "$each/$name"; done
  if [ -d "/sys/fs/cgroup/cpuset/$name" ]; then
    for file in cpuset.cpus cpuset.mems; do cat "/sys/fs/cgroup/cpuset/$file" >"/sys/fs/cgroup/cpuset/$name/$file"; done
  fi
  # `ip netns exec` would hide /sys/fs/cgroup. The folders are those whose paths containerd, kubelet and
  # network plugins do not let one choose.
  exec nsenter --net="/run/netns/$name" unshare -m -p --fork --kill-child --mount-proc --propagation private \
    bash -c 'mount --make-rshared /; mount --bind "$0/resolv.conf" /etc/resolv.conf
      for each in /run /var/lib/cni /opt/containerd /var/lib/kubelet /var/log/containers /usr/libexec/kubernetes; do
        mkdir -p "$each"; mount -t tmpfs tmpfs "$each"
      done
      touch "$0/ready"
      while :; do sleep 3600 & wait $!; done' "$folder"
}

down() {
  for pid in $(ip netns pids "$name" 2>/dev/null); do kill -9 "$pid" 2>/dev/null || true; done
  ip netns del "$name" 2>/dev/null || true
  for _ in 1 2 3 4 5; do
    # The kubelet makes its own in every hierarchy that there is.
    for each in /sys/fs/cgroup /sys/fs/cgroup/*; do
      [ -d "$each/$name" ] && find "$each/$name" -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
    sleep 0.3
  done
  [ -s "$folder/kernel-settings" ] && sysctl -q -p "$folder/kernel-settings" || true
}

"$1"
