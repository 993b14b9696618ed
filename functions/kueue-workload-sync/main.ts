/** kueue-workload-sync alone: `npx node functions/kueue-workload-sync/main.ts`, `--help` lists its settings. */
import { runFunction } from '#shared/runtime/function/run-function.ts';
import { kueueWorkloadSync } from './function.ts';

await runFunction(kueueWorkloadSync);
