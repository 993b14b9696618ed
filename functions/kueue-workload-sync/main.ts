/** kueue-workload-sync as its own process: `npx node functions/kueue-workload-sync/main.ts`. See `--help`. */
import { runFunction } from '#shared/runtime/function/run-function.ts';
import { kueueWorkloadSync } from './function.ts';

await runFunction(kueueWorkloadSync);
