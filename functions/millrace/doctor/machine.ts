/** The user's machine needs a Node that runs Millrace, and a kubectl that fits the API server. */
import { exec } from 'node:child_process';
import { fieldsOf, parsedObject, textOf } from '#shared/domain/json-value.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Finding, ok, type Patient, skipped, warning, failure } from './examination.ts';

export interface Machine {
  /** The value of `process.versions.node`. */
  readonly node: string;
  /** Returns the standard output of a command, even if the command fails. */
  readonly run: (command: string) => Promise<string>;
}

/** An unreachable API server must not delay the report, milliseconds. */
const patienceMs = 10_000;

const thisMachine: Machine = {
  node: process.versions.node,
  run: (command) =>
    new Promise((resolve) => {
      exec(command, { timeout: patienceMs }, (_, stdout) => resolve(stdout));
    }),
};

export async function examineMachine(
  { cluster }: Pick<Patient, 'cluster'>,
  machine: Machine = thisMachine,
): Promise<readonly Finding[]> {
  return [nodeOf(machine), await kubectlOf(cluster.kubectl, machine)];
}

function nodeOf({ node }: Machine): Finding {
  const [oldest = ''] = /\d+/.exec(packageJson.engines.node) ?? [];
  if (Number(node.split('.')[0]) >= Number(oldest)) return ok('Node', node);
  const detail = `${node} is older than ${oldest}`;
  return failure('Node', detail, `install Node ${oldest} or newer: https://nodejs.org`);
}

const installing = 'install kubectl';
const page = 'https://kubernetes.io/docs/tasks/tools/';

/** kubectl is supported one minor version before and after the API server (kubernetes.io, version skew policy). */
async function kubectlOf(kubectl: string, { run }: Machine): Promise<Finding> {
  const about = 'kubectl';
  const answered = parsedObject(await run(`${kubectl} version -o json --request-timeout=5s`));
  const client = versionOf(answered?.['clientVersion']);
  if (client === undefined) {
    const detail = 'is not on the PATH, and the commands of this report need it';
    return warning(about, detail, `${installing}: ${page}`);
  }
  const server = versionOf(answered?.['serverVersion']);
  if (server === undefined)
    return skipped(about, `${client.text}; the API server did not report its version`);
  const isNear = client.major === server.major && Math.abs(client.minor - server.minor) <= 1;
  if (isNear) return ok(about, `${client.text}, for the API server ${server.text}`);
  return warning(
    about,
    `${client.text} is more than one minor version from the API server (${server.text})`,
    `${installing} ${server.major}.${server.minor}: ${page}`,
  );
}

function versionOf(answered: unknown) {
  const { gitVersion } = fieldsOf(answered);
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(textOf(gitVersion)) ?? [];
  if (major === undefined) return undefined;
  return { text: textOf(gitVersion), major: Number(major), minor: Number(minor) };
}
