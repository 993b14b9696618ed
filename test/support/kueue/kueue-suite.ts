/** A suite of flows against a control plane of its own with a real Kueue beside it. */
import { type ClusterFacts, factsOf } from '../cluster-setup.ts';
import { startCluster } from '../cluster-parts.ts';
import { kubectlOrThrow } from '../control-plane/kubectl.ts';
import { describeFlowsWith, type FlowSuite, type OwnCluster } from '../flow-suite.ts';
import { reportProgress } from '../part-unavailable.ts';
import { handleOf } from '../require.ts';
import { obtainKueue } from './program.ts';
import { type Kueue, startKueue } from './start.ts';

export interface KueueSuite extends FlowSuite {
  readonly kueue: () => Kueue;
  /** As admin; `args` of `kubectl apply`. */
  readonly apply: (items: readonly object[], ...args: readonly string[]) => Promise<string>;
}

export function describeKueue(name: string, body: (suite: KueueSuite) => void): void {
  let kueue: Kueue | undefined;
  const ownCluster = async (): Promise<OwnCluster> => {
    const program = await obtainKueue(reportProgress);
    const cluster = await startCluster(() => undefined);
    try {
      kueue = await startKueue({ cluster, program });
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    const facts: ClusterFacts = factsOf(cluster);
    return {
      handle: handleOf(facts, ''),
      stop: async () => {
        await kueue?.stop();
        await cluster.stop();
      },
    };
  };
  describeFlowsWith({ ownCluster }, name, (suite) => {
    const running = (): Kueue => {
      if (kueue === undefined) throw new Error('the Kueue of this file is not up');
      return kueue;
    };
    const apply = (items: readonly object[], ...args: readonly string[]): Promise<string> =>
      kubectlOrThrow(suite.cluster.kubectl, ['apply', '--server-side', '-f', '-', ...args], {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
      });
    body(Object.assign(suite, { kueue: running, apply }));
  });
}
