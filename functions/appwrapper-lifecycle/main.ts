/** appwrapper-lifecycle as its own process: `npx node functions/appwrapper-lifecycle/main.ts`. See `--help`. */
import { runFunction } from '#shared/runtime/function/run-function.ts';
import { appwrapperLifecycle } from './function.ts';

await runFunction(appwrapperLifecycle);
