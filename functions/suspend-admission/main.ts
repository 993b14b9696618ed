/** suspend-admission alone: `npx node functions/suspend-admission/main.ts`, `--help` lists its settings. */
import { runAdmissions } from '#shared/runtime/admission/run-admissions.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { suspendAdmissions } from './admissions.ts';
import { suspendAdmissionConfiguration } from './configuration.ts';
import { kueueSettingsOf } from './kueue-settings.ts';
import { PolicyBook } from './policy-book.ts';

const policies = new PolicyBook();

await runAdmissions({
  name: 'suspend-admission',
  schema: suspendAdmissionConfiguration,
  admissionsOf: (settings) =>
    suspendAdmissions({ policies, clock: systemClock, kueue: kueueSettingsOf(settings) }),
  follow: ({ client, logger }, signal) =>
    policies.follow(
      {
        client,
        clock: systemClock,
        random: Math.random,
        onFailure: (err) => logger.warn({ err }, 'the policies could not be followed just now'),
      },
      signal,
    ),
});
