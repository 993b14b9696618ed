/** suspend-schedule as its own process: `npx node functions/suspend-schedule/main.ts`. `--help` lists its settings. */
import { runFunction } from '#shared/runtime/function/run-function.ts';
import { suspendSchedule } from './function.ts';

await runFunction(suspendSchedule);
