/** appwrapper-lifecycle alone: `npx node functions/appwrapper-lifecycle/main.ts`, `--help` lists its settings. */
import { runFunction } from '#shared/runtime/function/run-function.ts';
import { appwrapperLifecycle } from './function.ts';

await runFunction(appwrapperLifecycle);
