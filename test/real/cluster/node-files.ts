/** Configuration of what runs on the node. */

export interface NodePlace {
  /** Of the state of this cluster. */
  readonly folder: string;
  readonly binaries: string;
  /** Also the parent of all cgroups. */
  readonly name: string;
  readonly adminKubeconfig: string;
}

export const node = { name: 'minikube', address: '10.77.0.1' } as const;
export const networks = {
  services: '10.96.0.0/16',
  pods: '10.244.0.0/24',
  dns: '10.96.0.10',
} as const;

export function containerdConfig({ folder, binaries }: NodePlace, pauseImage: string): string {
  return `version = 3
root = "${folder}/containerd/root"
state = "${folder}/containerd/state"
[grpc]
  address = "${folder}/containerd.sock"
[ttrpc]
  address = "${folder}/containerd.sock.ttrpc"
[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = '${pauseImage}'
[plugins.'io.containerd.cri.v1.runtime']
  # Else remains of Pods stay in the /run/netns of the machine outside.
  netns_mounts_under_state_dir = true
  disable_apparmor = true
  # A container of ours may not lower the score of what it starts.
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = 'io.containerd.runc.v2'
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      SystemdCgroup = false
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ['${binaries}']
    conf_dir = '${folder}/cni'
[plugins.'io.containerd.nri.v1.nri']
  disable = true
`;
}

export function networkConfig({ folder }: NodePlace): string {
  return JSON.stringify({
    cniVersion: '1.0.0',
    name: 'millrace',
    plugins: [
      {
        type: 'ptp',
        ipMasq: false,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: networks.pods }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: `${folder}/addresses`,
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  });
}

/** Its callers are in this network, which leads nowhere: none has to prove an identity. */
export function kubeletConfig({ folder, name }: NodePlace): string {
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${name}`,
    failCgroupV1: false,
    failSwapOn: false,
    containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
    clusterDNS: [networks.dns],
    clusterDomain: 'cluster.local',
    resolvConf: `${folder}/resolv.conf`,
    maxPods: 110,
    serializeImagePulls: false,
    syncFrequency: '10s',
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
    },
    imageGCHighThresholdPercent: 100,
    volumePluginDir: `${folder}/kubelet/plugins`,
    podLogsDir: `${folder}/pod-logs`,
  });
}

export function proxyConfig({ adminKubeconfig }: NodePlace): string {
  return JSON.stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    hostnameOverride: node.name,
    clusterCIDR: networks.pods,
    clientConnection: { kubeconfig: adminKubeconfig },
    // The machine outside has them.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  });
}
