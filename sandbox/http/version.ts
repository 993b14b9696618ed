/**
 * The Kubernetes version whose API the sandbox follows, with a mark that this is no such server.
 */
export const kubernetesVersion = 'v1.36.3';

const [major = '', minor = ''] = kubernetesVersion.slice(1).split('.');

/** The body of /version. The build marker distinguishes the sandbox from a cluster. */
export const versionInfo = {
  major,
  minor,
  emulationMajor: major,
  emulationMinor: minor,
  minCompatibilityMajor: major,
  minCompatibilityMinor: String(Number(minor) - 1),
  gitVersion: `${kubernetesVersion}+millrace-sandbox`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node ${process.version}`,
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
} as const;
