/** The commands for single objects, as processes against a `millrace up`. */
import { HTTP, type CloudEvent } from 'cloudevents';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { openSink } from '#functions/bridge/testing/listening-sink.ts';
import { type RunningUp, runningUp } from '../testing/running-up.ts';

// A whole cluster in its own process, on a possibly busy machine.
const slow = 120_000;

let up: RunningUp;
let sink: Awaited<ReturnType<typeof openSink>>;
beforeAll(async () => {
  sink = await openSink(() => 202);
  up = await runningUp('--speed', '20', '--events-to', sink.url.href);
  await up.createFlow('hello', {
    fetch: { sh: 'sleep 1' },
    report: { sh: 'sleep 1', after: ['fetch'] },
  });
  await up.createFlow('broken', {
    load: { sh: 'exit 3' },
    report: { sh: 'sleep 1', after: ['load'] },
  });
}, slow);
afterAll(async () => {
  await up[Symbol.asyncDispose]();
  sink.close();
});

async function specOf(name: string) {
  const flow = await up.client.get(resources.JobFlow, { namespace: 'default', name });
  return fieldsOf(flow?.spec);
}

describe('what an object does', () => {
  test('`watch` ends with 0 when a flow has succeeded', { timeout: slow }, async () => {
    const { code, stdout } = await up.finished('watch', 'hello', '--timeout', '60');
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ report +Succeed/);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/✔ hello +Succeed +2 of 2$/);
  });

  test('`watch` ends with 7 when a flow has failed', { timeout: slow }, async () => {
    const { code, stdout } = await up.finished('watch', 'broken', '--timeout', '60');
    expect(code).toBe(7);
    expect(stdout).toMatch(/✖ load +Failed .*container main exited 3/);
  });

  test('it is published to the sink of `--events-to`', { timeout: slow }, async () => {
    const published = () =>
      sink.received
        .map(({ request, body }) => HTTP.toEvent({ headers: request.headers, body }) as CloudEvent)
        .filter((event) => event['name'] === 'broken')
        .map(({ type, step }) => (typeof step === 'string' ? `${type} ${step}` : type));
    const of = (what: string) => `dev.millrace.jobflow.${what}`;
    await expect
      .poll(published, { timeout: slow })
      .toEqual(
        expect.arrayContaining([
          of('running.v1'),
          of('step.failed.v1 load'),
          of('step.skipped.v1 report'),
          of('failed.v1'),
        ]),
      );
    expect(published().filter((line) => line === of('failed.v1'))).toHaveLength(1);
  });

  test(
    '`get` draws the tree, with the Job of each step where that is asked for',
    { timeout: slow },
    async () => {
      const narrow = await up.finished('get', 'mjf/hello');
      expect(narrow.code).toBe(0);
      expect(narrow.stdout.split('\n')).toEqual([
        expect.stringMatching(/^✔ hello {2}Succeed {2}2 of 2 {2}\d+\.0s$/),
        expect.stringMatching(/^└─ ✔ fetch +Succeed .* ← the flow was applied/),
        expect.stringMatching(/^ {3}└─ ✔ report +Succeed .* ← fetch completed/),
        '',
      ]);
      const wide = await up.finished('get', 'hello', '-o', 'wide');
      expect(wide.stdout).toContain('job/hello-fetch');
    },
  );

  test('`get` without a name has a line for each object', { timeout: slow }, async () => {
    const { stdout } = await up.finished('get', '-A');
    const [titles, ...lines] = stdout.trimEnd().split('\n');
    expect(titles).toMatch(/^NAMESPACE +NAME +STATUS +PROGRESS +AGE$/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^default +jobflow\/hello +Succeed +2\/2 +\w+$/),
    );
  });

  test('`get -w` has another line whenever something changes', { timeout: slow }, async () => {
    const watching = up.cli.start(['get', 'mjf', '-w', '-l', 'watched=yes']);
    const template = { spec: { containers: [{ name: 'main', image: 'busybox:1.28' }] } };
    const flow = {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      metadata: { name: 'seen', namespace: 'default', labels: { watched: 'yes' } },
      spec: { flows: [{ name: 'a', jobTemplate: { suspend: true, template } }] },
    };
    await up.client.create(resources.JobFlow, flow);
    await watching.printed(/^jobflow\/seen +Running +0\/1 +\w+$/m);
    await up.client.delete(resources.JobFlow, { namespace: 'default', name: 'seen' });
    await watching.printed(/^jobflow\/seen +Deleted +0\/1 +\w+$/m);
    watching.child.kill('SIGINT');
    expect(await watching.exited).toBe(130);
    const lines = watching.stdout().trimEnd().split('\n');
    expect(lines[0]).toMatch(/^NAME +STATUS +PROGRESS +AGE$/);
    expect(new Set(lines.map((line) => line.replace(/ \w+$/, ''))).size).toBe(lines.length);
  });

  test('`get -w` of a list ends after --timeout', { timeout: slow }, async () => {
    const { code, stdout } = await up.finished('get', '-w', '--timeout', '1', '-l', 'no=where');
    expect([code, stdout]).toEqual([0, '']);
    const wrong = await up.finished('get', '-w', '-o', 'json');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('--watch shows one object or a list');
  });

  test('`get -o` gives the object as JSON, YAML and by its name', { timeout: slow }, async () => {
    const [json, yaml, name] = await Promise.all([
      up.finished('get', 'hello', '-o', 'json'),
      up.finished('get', 'hello', '-o', 'yaml'),
      up.finished('get', 'hello', '-o', 'name'),
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'JobFlow', metadata: { name: 'hello' } });
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
    expect(name.stdout).toBe('jobflow.api.practice.com/hello\n');
  });

  test('`get` takes a kind before its names, and several names', { timeout: slow }, async () => {
    const { code, stdout } = await up.finished('get', 'jobflow', 'hello', 'broken', '-o', 'name');
    expect([code, stdout]).toEqual([
      0,
      'jobflow.api.practice.com/hello\njobflow.api.practice.com/broken\n',
    ]);
    const all = await up.finished('get', 'hello', 'jobflow/broken', '-o', 'json');
    expect(JSON.parse(all.stdout)).toMatchObject({ kind: 'List', items: [{}, {}] });
  });

  test('`get -o jsonpath` prints the fields that are named', { timeout: slow }, async () => {
    const one = await up.finished('get', 'hello', '-o', 'jsonpath={.kind}/{.metadata.name}');
    expect(one.stdout).toBe('JobFlow/hello');
    const template = '{range .items[*]}{.metadata.name}{"\\n"}{end}';
    const all = await up.finished('get', 'jobflows', '-o', `jsonpath=${template}`);
    expect(all.stdout.split('\n')).toEqual(expect.arrayContaining(['broken', 'hello']));
    const wrong = await up.finished('get', 'hello', '-o', 'jsonpath={.kind');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('the template: } is missing at the end');
  });

  test('`get --status` lists what is in one of these states', { timeout: slow }, async () => {
    const { stdout } = await up.finished('get', '--status', 'succeed,Suspended', '-o', 'name');
    expect(stdout).toContain('jobflow.api.practice.com/hello\n');
    expect(stdout).not.toContain('broken');
    const none = await up.finished('get', '--status', 'Terminating');
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toMatch(/^none of \d+ is Terminating; there are: .*Succeed\n$/);
  });

  test(
    '`get --for` lists the Jobs and Pods of an object or a part that it has',
    { timeout: slow },
    async () => {
      const both = await up.finished('get', '--for', 'hello');
      const lines = both.stdout.trimEnd().split('\n');
      expect(lines[0]).toMatch(/^NAME +STATUS +PART +AGE$/);
      expect(lines[1]).toMatch(/^job\/hello-fetch +Succeed +fetch +\w+$/);
      expect(lines.slice(3)).toEqual([
        expect.stringMatching(/^pod\/hello-fetch-\w+ +Succeeded +fetch +\w+$/),
        expect.stringMatching(/^pod\/hello-report-\w+ +Succeeded +report +\w+$/),
      ]);
      const one = await up.finished('get', 'jobs', '--for', 'hello/report', '-o', 'name');
      expect(one.stdout).toBe('job.batch/hello-report\n');
      const failed = await up.finished('get', 'jobs', '--for', 'broken', '--status', 'Failed');
      expect(failed.stdout).toMatch(/^job\/broken-load +Failed +load /m);
      const unknown = await up.finished('get', 'jobs', '--for', 'hello/nostep');
      expect([unknown.code, unknown.stdout]).toEqual([4, '']);
      expect(unknown.stderr).toContain('JobFlow hello has no step nostep; it has fetch, report');
    },
  );

  test('`get -l` lists what has the labels', { timeout: slow }, async () => {
    const labelled = { metadata: { labels: { team: 'a' } } };
    const name = { namespace: 'default', name: 'hello' };
    await up.client.patch(resources.JobFlow, name, labelled, { type: 'merge' });
    const { stdout } = await up.finished('get', '-l', 'team=a', '-o', 'name');
    expect(stdout).toBe('jobflow.api.practice.com/hello\n');
  });

  test('`get` refuses to choose from a list where one is named', { timeout: slow }, async () => {
    const { code, stderr } = await up.finished('get', 'hello', '--status', 'Failed');
    expect(code).toBe(2);
    expect(stderr).toContain('choose from a list');
  });

  test(
    'a misspelt name ends with 4 and names the one that was meant',
    { timeout: slow },
    async () => {
      const { code, stdout, stderr } = await up.finished('get', 'helo');
      expect(code).toBe(4);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^error: .* helo .*; did you mean hello\?\nnext: millrace get -A\n$/);
    },
  );
});

test('a shell completes KIND/ with the names of that kind', { timeout: slow }, async () => {
  const offered = async (...words: readonly string[]) =>
    (await up.finished('__complete', ...words)).stdout.split('\n');
  expect(await offered('why', 'jobflow/he')).toEqual(['jobflow/hello\tJobFlow', ':4', '']);
  expect(await offered('logs', 'job/hello-f')).toEqual(['job/hello-fetch\tJob', ':4', '']);
  await up.client.create(resources.ClusterSuspendPolicy, {
    apiVersion: 'millrace.dev/v1alpha1',
    kind: 'ClusterSuspendPolicy',
    metadata: { name: 'wide' },
    spec: { selector: { matchLabels: { tier: 'none' } }, capacity: { maxJobs: 1 } },
  });
  const policies = await offered('get', 'clustersuspendpolicy/');
  expect(policies).toContain('clustersuspendpolicy/wide\tClusterSuspendPolicy');
});

test(
  '`get` sums up a flow of more than 50 steps, and shows all with -o wide',
  { timeout: slow },
  async () => {
    const names = Array.from({ length: 60 }, (_, index) => `s${index}`);
    const steps = names.map((name) => [
      name,
      { sh: 'sleep 1', after: name === 's0' ? [] : ['s0'] },
    ]);
    await up.createFlow('large', Object.fromEntries(steps) as Parameters<typeof up.createFlow>[1]);
    const { stdout } = await up.finished('get', 'large');
    expect(stdout).toMatch(/^ {2}and \d+ more steps: \d+ \w+/m);
    const all = await up.finished('get', 'large', '-o', 'wide');
    for (const name of names) expect(all.stdout).toContain(` ${name} `);
  },
);

describe('what Pods write', () => {
  test(
    '`logs -f` merges the Pods of all steps, also of those that start later',
    { timeout: slow },
    async () => {
      await up.createFlow('talk', {
        fetch: { sh: 'echo fetched; sleep 20' },
        report: { sh: 'echo reported; sleep 20', after: ['fetch'] },
      });
      const { code, stdout } = await up.finished('logs', 'talk', '-f');
      expect([code, stdout]).toEqual([0, 'fetch | fetched\nreport | reported\n']);
      const one = await up.finished('logs', 'talk/report');
      expect(one.stdout).toBe('report | reported\n');
      const some = await up.finished('logs', 'talk', '--grep', '^fetch', '--color', 'always');
      expect(some.stdout).toBe('\u001B[36mfetch | \u001B[39mfetched\n');
    },
  );

  test(
    '`logs -c` of a container that no Pod has names those that there are',
    { timeout: slow },
    async () => {
      const { code, stdout, stderr } = await up.finished('logs', 'hello', '-c', 'mian');
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toBe(
        'error: no Pod of hello has a container mian; there are main\nnext: millrace logs hello\n',
      );
    },
  );
});

describe('a part of an object', () => {
  test.each(['get', 'watch', 'graph', 'logs', 'why'])(
    '`%s` of a step that the flow does not have names the nearest one',
    { timeout: slow },
    async (verb) => {
      const { code, stdout, stderr } = await up.finished(verb, 'hello/reprot');
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toContain('error: JobFlow hello has no step reprot; did you mean report?\n');
    },
  );

  test('`get` and `watch` show the step alone', { timeout: slow }, async () => {
    const got = await up.finished('get', 'broken/load');
    expect(got.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^✖ broken {2}Failed {2}0 of 2 /),
      expect.stringMatching(/^└─ ✖ load +Failed /),
    ]);
    expect((await up.finished('watch', 'hello/fetch')).code).toBe(0);
    expect((await up.finished('watch', 'broken/load')).code).toBe(7);
  });

  test(
    '`get -o json` of a step names the command that prints its Job',
    { timeout: slow },
    async () => {
      const { code, stdout, stderr } = await up.finished('get', 'hello/report', '-o', 'json');
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('millrace get jobs --for hello/report -o json');
    },
  );

  test.each(['cancel', 'suspend'])(
    '`%s` of a step is refused, since it acts on the whole',
    { timeout: slow },
    async (verb) => {
      const { code, stdout, stderr } = await up.finished(verb, 'jobflow/hello/report');
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^error: `\w+` acts on a whole flow.*names a part of one\n/);
      expect(stderr).toContain(`next: millrace ${verb} jobflow/hello\n`);
    },
  );
});

test('`graph` draws a flow of the cluster with its states', { timeout: slow }, async () => {
  const { stdout } = await up.finished('graph', 'broken', '--format', 'mermaid');
  expect(stdout).toContain('s0["load<br/>Failed"]:::Failed');
  expect(stdout).toContain('s0 --> s1');
  expect((await up.finished('graph', 'broken', '--watch')).code).toBe(7);
  const tree = await up.finished('graph', 'hello');
  expect(tree.stdout).toMatch(/^✔ hello {2}Succeed {2}2 of 2 {2}\d{1,3}\.0s$/m);
});

describe('what a person wishes', () => {
  test('`retry` starts what failed again, each time anew', { timeout: slow }, async () => {
    for (const attempt of [1, 2]) {
      await up.finished('watch', 'broken', '--timeout', '60');
      const { code, stdout } = await up.finished('retry', 'broken', '--timeout', '60');
      expect([code, stdout]).toEqual([0, 'jobflow/broken is retried: load, report\n']);
      const flow = await up.client.get(resources.JobFlow, { namespace: 'default', name: 'broken' });
      expect(fieldsOf(flow?.status)['retryNonce']).toBe(`${attempt}`);
    }
  });

  test('`retry` names the step that it cannot retry', { timeout: slow }, async () => {
    await up.finished('watch', 'broken', '--timeout', '60');
    const { code, stderr } = await up.finished('retry', 'broken', '--step', 'absent');
    expect(code).toBe(4);
    expect(stderr).toContain('JobFlow broken has no step absent; it has load, report');
    const dry = await up.finished('retry', 'broken/load', '--refresh', '--dry-run');
    expect(dry.stdout).toBe('jobflow/broken is retried: load, report (dry run)\n');
    const refused = await up.finished('retry', 'broken/report', '--dry-run');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('UpstreamNotRetried: ');
  });

  test('`retry` of what has not failed writes nothing', { timeout: slow }, async () => {
    const { code, stderr } = await up.finished('retry', 'hello');
    expect(code).toBe(5);
    expect(stderr).toContain('nothing of jobflow/hello has failed');
    const flow = await up.client.get(resources.JobFlow, { namespace: 'default', name: 'hello' });
    expect(flow?.metadata.annotations).not.toHaveProperty([annotations.retry]);
  });

  test('`suspend`, `resume` and `cancel` steer a flow', { timeout: slow }, async () => {
    await up.createFlow('long', { wait: { sh: 'sleep 100000' } });
    const dry = await up.finished('suspend', 'long', '--dry-run');
    expect(dry.stdout).toBe('jobflow/long is suspended (dry run)\n');
    expect(await specOf('long')).not.toMatchObject({ suspend: true });
    await up.finished('suspend', 'long');
    expect(await specOf('long')).toMatchObject({ suspend: true });
    expect((await up.finished('resume', 'long', '-o', 'name')).stdout).toBe(
      'jobflow.api.practice.com/long\n',
    );
    expect(await specOf('long')).toMatchObject({ suspend: false });
    expect((await up.finished('resume', 'long')).stdout).toBe('jobflow/long is not suspended\n');
    const cancelled = await up.finished('cancel', 'long');
    expect(cancelled.stdout).toBe(
      'jobflow/long is being cancelled: its running Jobs are deleted\n',
    );
    expect((await up.finished('watch', 'long', '--timeout', '60')).code).toBe(7);
    const again = await up.finished('cancel', 'long');
    expect([again.code, again.stdout]).toEqual([5, '']);
    for (const verb of ['suspend', 'resume']) {
      const late = await up.finished(verb, 'long');
      expect([late.code, late.stdout]).toEqual([5, '']);
      expect(late.stderr).toContain(`jobflow/long has ended: there is nothing to ${verb}`);
    }
  });

  test('`resume` leaves to Kueue what waits in a queue of it', { timeout: slow }, async () => {
    const spec = { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1'] }] };
    await up.client.create(resources.JobFlow, {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      metadata: { name: 'queued', namespace: 'default', labels: { [queueLabel]: 'main' } },
      spec: { suspend: true, flows: [{ name: 'a', jobTemplate: { template: { spec } } }] },
    });
    const { code, stdout, stderr } = await up.finished('resume', 'queued');
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('jobflow/queued waits in the queue main of Kueue, which resumes it');
    expect(stderr).toContain('next: millrace why jobflow/queued');
    expect(await specOf('queued')).toMatchObject({ suspend: true });
  });

  describe('gates', () => {
    const createGated = async (name: string): Promise<void> => {
      const spec = {
        containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1'] }],
      };
      const flows = ['a', 'b', 'c'].map((step) => ({
        ...{ name: step, jobTemplate: { suspend: true, template: { spec } } },
      }));
      await up.client.create(resources.JobFlow, {
        apiVersion: 'api.practice.com/v1alpha1',
        kind: 'JobFlow',
        metadata: { name, namespace: 'default' },
        spec: { flows },
      });
      await expect.poll(() => suspendOf(`${name}-c`), { timeout: slow }).toBe(true);
    };
    const suspendOf = async (name: string) => {
      const job = await up.client.get(resources.Job, { namespace: 'default', name });
      return fieldsOf(job?.spec)['suspend'];
    };

    test('`approve` and `resume` of a step open its gate', { timeout: slow }, async () => {
      await createGated('gated');
      const why = await up.finished('why', 'gated/a');
      expect(why.stdout).toContain('next: millrace approve jobflow/gated/a -n default\n');
      const one = await up.finished('approve', 'gated/a');
      expect(one.stdout).toBe('jobflow/gated/a is approved: job/gated-a starts\n');
      expect([await suspendOf('gated-a'), await suspendOf('gated-b')]).toEqual([false, true]);
      const other = await up.finished('resume', 'gated/b', '-o', 'json');
      expect(JSON.parse(other.stdout)).toMatchObject({ kind: 'Job', spec: { suspend: false } });
      const rest = await up.finished('approve', 'gated', '-o', 'name');
      expect(rest.stdout).toBe('job.batch/gated-c\n');
      const none = await up.finished('approve', 'gated');
      expect([none.code, none.stdout]).toEqual([0, 'nothing of jobflow/gated waits at a gate\n']);
    });

    test('`approve` starts nothing of a flow that is suspended', { timeout: slow }, async () => {
      await createGated('stopped');
      const dry = await up.finished('approve', 'stopped/c', '--dry-run');
      expect(dry.stdout).toBe('jobflow/stopped/c is approved: job/stopped-c starts (dry run)\n');
      const name = { namespace: 'default', name: 'stopped' };
      await up.client.patch(
        resources.JobFlow,
        name,
        { spec: { suspend: true } },
        { type: 'merge' },
      );
      const { code, stdout, stderr } = await up.finished('approve', 'stopped');
      expect([code, stdout]).toEqual([5, '']);
      expect(stderr).toContain('jobflow/stopped is suspended, so its Jobs may not start');
      expect(await suspendOf('stopped-c')).toBe(true);
    });
  });

  test(
    '`resume` of what a suspend policy holds overrides the policy',
    { timeout: slow },
    async () => {
      const schedule = {
        timeZone: 'UTC',
        windows: [{ name: 'never', open: '0 0 29 2 *', close: '1 0 29 2 *' }],
      };
      await up.client.create(resources.SuspendPolicy, {
        apiVersion: 'millrace.dev/v1alpha1',
        kind: 'SuspendPolicy',
        metadata: { name: 'closed', namespace: 'default' },
        spec: { selector: { matchLabels: { tier: 'batch' } }, schedule },
      });
      const spec = {
        flows: [
          {
            name: 'a',
            jobTemplate: {
              template: {
                spec: { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1'] }] },
              },
            },
          },
        ],
      };
      await up.client.create(resources.JobFlow, {
        apiVersion: 'api.practice.com/v1alpha1',
        kind: 'JobFlow',
        metadata: { name: 'held', namespace: 'default', labels: { tier: 'batch' } },
        spec,
      });
      // The policy itself holds a flow that was created before admission had read the policy.
      await vi.waitFor(async () => {
        const name = { namespace: 'default', name: 'held' };
        const held = await up.client.get(resources.JobFlow, name);
        expect(held?.metadata.annotations).toHaveProperty([annotations.held]);
      });
      const { code, stdout } = await up.finished('resume', 'held');
      expect([code, stdout]).toEqual([
        0,
        'jobflow/held millrace.dev/suspend-override=Run: resumed by its suspend policy\n',
      ]);
      expect((await up.finished('watch', 'held', '--timeout', '60')).code).toBe(0);
      // Suspended by a user, it is not held; resumed by hand, the closed policy would hold it at once.
      const container = { name: 'main', image: 'busybox', command: ['sleep', '100000'] };
      await up.client.create(resources.Job, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'own', namespace: 'default', labels: { tier: 'batch' } },
        spec: {
          suspend: true,
          template: { spec: { restartPolicy: 'Never', containers: [container] } },
        },
      });
      const suspended = async () => {
        const job = await up.client.get(resources.Job, { namespace: 'default', name: 'own' });
        return fieldsOf(job?.spec)['suspend'];
      };
      for (const [verb, wants, is] of [
        ['resume', 'Run', false],
        ['suspend', 'Hold', true],
        ['resume', 'Run', false],
      ] as const) {
        const { stdout: said } = await up.finished(verb, 'job/own');
        expect(said).toContain(`millrace.dev/suspend-override=${wants}: ${verb}`);
        await expect.poll(suspended, { timeout: slow }).toBe(is);
      }
      const preview = await up.finished('schedule', 'preview', 'closed');
      expect(preview.stdout, preview.stderr).toMatch(/^SuspendPolicy (default\/)?closed\b/);
      const misspelt = await up.finished('schedule', 'preview', 'suspendpolicy/close');
      expect(misspelt).toMatchObject({ code: 4, stdout: '' });
      expect(misspelt.stderr).toContain('did you mean closed?');
    },
  );

  test('`--until` needs a policy that would end it', { timeout: slow }, async () => {
    await up.createFlow('ungoverned', { wait: { sh: 'sleep 100000' } });
    const until = ['--until', '8h'] as const;
    const { code, stdout, stderr } = await up.finished('suspend', 'ungoverned', ...until);
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('no suspend policy selects jobflow/ungoverned');
    const flow = await up.client.get(resources.JobFlow, {
      ...{ namespace: 'default', name: 'ungoverned' },
    });
    expect(flow?.metadata.annotations).not.toHaveProperty([annotations.suspendOverride]);
  });

  test('`--until` is a time or a length from now, and not past', { timeout: slow }, async () => {
    await up.createFlow('timed', { wait: { sh: 'sleep 100000' } });
    const past = '2020-01-01T00:00:00Z';
    const { code, stdout, stderr } = await up.finished('suspend', 'timed', '--until', past);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^error: --until 2020-01-01T00:00:00Z is past: in the cluster it is \S+Z\nnext: write a later time/,
    );
    await up.client.create(resources.SuspendPolicy, {
      apiVersion: 'millrace.dev/v1alpha1',
      kind: 'SuspendPolicy',
      metadata: { name: 'timed', namespace: 'default' },
      spec: { selector: { matchLabels: { tier: 'timed' } }, capacity: { maxJobs: 1 } },
    });
    const place = { namespace: 'default', name: 'timed' };
    const labels = { metadata: { labels: { tier: 'timed' } } };
    const fieldManager = 'millrace-test';
    await up.client.patch(resources.JobFlow, place, labels, { type: 'merge', fieldManager });
    const said = (await up.finished('suspend', 'timed', '--until', '30d')).stdout;
    const [, until = ''] =
      /=Hold;until=(\S+Z): suspended by its suspend policy\n$/.exec(said) ?? [];
    const days = (Date.parse(until) - Date.now()) / 86_400_000;
    expect(days, said).toBeGreaterThan(29);
    expect(days, said).toBeLessThan(32);
  });

  test('a policy that forbids overrides is named', { timeout: slow }, async () => {
    const schedule = {
      timeZone: 'UTC',
      windows: [{ name: 'never', open: '0 0 29 2 *', close: '1 0 29 2 *' }],
    };
    await up.client.create(resources.ClusterSuspendPolicy, {
      apiVersion: 'millrace.dev/v1alpha1',
      kind: 'ClusterSuspendPolicy',
      metadata: { name: 'strict' },
      spec: { selector: { matchLabels: { tier: 'strict' } }, overrides: 'Forbid', schedule },
    });
    const template = { spec: { containers: [{ name: 'main', image: 'busybox' }] } };
    await up.client.create(resources.JobFlow, {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      metadata: { name: 'bound', namespace: 'default', labels: { tier: 'strict' } },
      spec: { flows: [{ name: 'a', jobTemplate: { template } }] },
    });
    const { code, stdout, stderr } = await up.finished('resume', 'bound');
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain(
      'ClusterSuspendPolicy strict decides about jobflow/bound, and forbids overrides\nnext: millrace why jobflow/bound\n',
    );
  });
});
