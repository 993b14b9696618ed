/** flow-advance as its own process: `npx node functions/flow-advance/main.ts`. `--help` lists its settings. */
import { runFunction } from '#shared/runtime/function/run-function.ts';
import { flowAdvance } from './function.ts';

await runFunction(flowAdvance);
