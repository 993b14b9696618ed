/** daemon-fanout as its own process: `npx node functions/daemon-fanout/main.ts`. `--help` lists its settings. */
import { runFunction } from '#shared/runtime/function/run-function.ts';
import { daemonFanout } from './function.ts';

await runFunction(daemonFanout);
