/**
 * `npm run demo:real`: a cluster of one node with a kubelet and containers, Millrace installed by Helm, and the
 * unchanged examples with all their sleeps. Takes some four minutes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseAndImport } from '../real/cluster/installed-images.ts';
import { obtainParts } from '../real/cluster/parts.ts';
import { clusterOf } from '../real/cluster/real-cluster.ts';
import { startRealCluster } from '../real/cluster/start.ts';
import {
  exampleFiles,
  followToTheEnd,
  printWhatKubectlSays,
  wrongEnds,
} from './flows-until-ended.ts';
import { say, step } from './timed-lines.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const deadlineMs = 600_000;

async function demo(): Promise<number> {
  const { facts, stop } = await startRealCluster(await obtainParts(step), step);
  try {
    const cluster = clusterOf(facts);
    await releaseAndImport(cluster, step);
    const place = ['millrace', join(deploy, 'chart'), '-n', 'millrace', '--create-namespace'];
    await cluster.helm('install', ...place, '--wait', '--timeout', '150s');
    step('helm install: ready');
    for (const file of [...exampleFiles, 'daemonjob-example.yaml']) {
      const text = await readFile(join(deploy, 'examples', file), 'utf8');
      const said = await cluster.ask(['apply', '-f', '-'], text);
      for (const line of said.trim().split('\n')) step(line);
    }
    const flows = await followToTheEnd(cluster.ask, step, deadlineMs);
    await cluster.ask([
      ...['wait', '--for=condition=Complete', '--timeout=150s'],
      'daemonjob/daemonjob-example',
    ]);
    const shown = ['jobflows.api.practice.com', 'daemonjobs.api.practice.com', 'jobs', 'pods'];
    await printWhatKubectlSays(cluster.ask, shown, say);
    const wrong = wrongEnds(flows);
    for (const line of wrong) say(`\n${line}`);
    if (wrong.length === 0) say('\nThe examples ended as they should.');
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await stop();
  }
}

process.exitCode = await demo();
