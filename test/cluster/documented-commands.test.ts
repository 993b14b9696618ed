/**
 * Runs the commands of the README and the first steps: without a cluster, on the sandbox that they start, and on the
 * real API server. Commands that install Millrace in a cluster run in test/real.
 */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis as RedisClient } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandRun } from '#functions/millrace/testing/cli.ts';
import { documented } from '#test/support/documented-commands.ts';
import { startRedis } from '#test/support/redis.ts';
import { redisUserNames } from '#test/support/redis-users.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { Terminal } from '#test/support/terminal.ts';

const pages = ['README.md', 'docs/tutorial.md', 'docs/first-steps.md', 'docs/explain.md'].map(
  (page) => join(import.meta.dirname, '../..', page),
);
const deploy = join(import.meta.dirname, '../../deploy');
const exported = /export KUBECONFIG=(\S+)\n/;
const flow = (name: string, steps: readonly object[]) =>
  JSON.stringify({
    ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', metadata: { name } },
    spec: { flows: steps },
  });
const step = (name: string, dependency: string) => ({
  name,
  dependencies: [dependency],
  jobTemplate: { template: { spec: { containers: [{ name: 'main', image: 'busybox' }] } } },
});

/** The lines that a page shows below a command, without ellipses. */
async function shownBelow(command: string): Promise<readonly string[]> {
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
  const [, after = ''] = texts.join('\n').split(`$ ${command}\n`);
  const [lines = ''] = after.split(/^(?:\$ |```)/m);
  return lines.split('\n').filter((line) => line !== '' && line !== '...');
}
const columnsOf = (line = ''): readonly string[] => line.trim().split(/\s{2,}/);

describeWithCluster('a reader of the README', (cluster) => {
  let home: string;
  let terminal: Terminal;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'millrace-home-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  /** The terminal of `up`, and a second one that has exported its output. */
  const begin = async (up: string): Promise<CommandRun> => {
    terminal = new Terminal({ kubectl: cluster.binaries.kubectl, home });
    const run = terminal.start(up);
    const [, kubeconfig = ''] = await run.printed(exported);
    terminal.export('KUBECONFIG', kubeconfig);
    return run;
  };

  describe('without a cluster', () => {
    beforeAll(() => begin(documented('npx millrace up')));
    afterAll(() => terminal[Symbol.asyncDispose]());

    it('runs the first example and shows it as it goes', async () => {
      await terminal.type(documented('kubectl apply -f deploy/examples/hello.yaml'));
      const watch = terminal.start(documented('kubectl get mjf -w'));
      await watch.printed(/^hello\s+Running\s/m);
      await watch.printed(/^hello\s+Succeed\s/m);
      await terminal.interrupt(watch);
      const wide = documented('kubectl get mjf -o wide');
      const [titles, line] = await shownBelow(wide);
      const printed = (await terminal.type(wide)).split('\n');
      expect(columnsOf(printed[0])).toEqual(columnsOf(titles));
      // Every column but the age.
      expect(columnsOf(printed[1]).slice(0, -1)).toEqual(columnsOf(line).slice(0, -1));
    });

    it('mends a broken step with two commands, and runs only what had not succeeded', async () => {
      const jobs = async (): Promise<readonly string[]> => {
        const line = `{range .items[*]}{.metadata.name}={.metadata.uid}{"\\n"}{end}`;
        const listed = await terminal.type(`kubectl get jobs -o 'jsonpath=${line}'`);
        return listed.trim().split('\n').toSorted();
      };
      await terminal.type(documented('kubectl delete mjf hello'));
      await terminal.type(
        documented(
          "sed 's/reported; sleep 2/reported; exit 3/' deploy/examples/hello.yaml | kubectl apply -f -",
        ),
      );
      await terminal.type(documented('kubectl wait --for=condition=Failed mjf/hello'));
      const seen = await terminal.type(documented('kubectl get mjf hello -o wide'));
      expect(seen).toMatch(/^hello\s+Failed\s+1\/2\s/m);
      expect(seen).toContain('exited 3');
      const [fetched] = await jobs();
      expect(fetched).toMatch(/^hello-fetch=/);
      await terminal.type(documented('kubectl apply -f deploy/examples/hello.yaml'));
      await terminal.type(
        documented('kubectl annotate mjf hello millrace.dev/retry=1 --overwrite'),
      );
      await terminal.type('kubectl wait --for=condition=Complete mjf/hello');
      expect(await jobs()).toContain(fetched);
    });

    it('leads through the tutorial: a flow is written, fails, is mended, and waits for a window', async () => {
      await terminal.type(documented("cat > ~/etl.yaml <<'END'"));
      await terminal.type(documented('npx millrace lint ~/etl.yaml'));
      await terminal.type(documented('kubectl apply -f ~/etl.yaml'));
      const watch = documented('npx millrace watch etl');
      const reason = /BackoffLimitExceeded: container main exited 3; .*/;
      const [, ...drawn] = await shownBelow(watch);
      const failed = await terminal.type(watch, { code: 7 });
      expect(reason.exec(failed)?.[0]).toBe(reason.exec(drawn.join('\n'))?.[0]);
      const why = documented('npx millrace why etl');
      expect((await terminal.type(why)).split('\n')).toEqual(
        expect.arrayContaining([...(await shownBelow(why))]),
      );
      expect(await terminal.type(documented('npx millrace logs etl/load'))).toMatch(/^load \| /);
      await terminal.type(documented("sed -i.before 's/exit 3/sleep 2/' ~/etl.yaml"));
      await terminal.type('kubectl apply -f ~/etl.yaml');
      await terminal.type(documented('npx millrace retry etl'));
      expect(await terminal.type(watch)).toMatch(/extract +Succeed[^]*etl +Succeed +2 of 2/);
      await terminal.type(documented("cat > ~/new-year.yaml <<'END'"));
      await terminal.type(documented('kubectl delete mjf etl'));
      await terminal.type(documented('kubectl apply -f ~/new-year.yaml -f ~/etl.yaml'));
      await terminal.type(documented('kubectl wait --for=condition=Suspended mjf/etl'));
      const held = documented('npx millrace why mjf/etl');
      const explained = await terminal.type(held);
      const [state = '', policy = '', next = ''] = await shownBelow(held);
      expect(explained).toContain(state);
      expect(explained).toContain(policy.replace(/, until .*/, ', until '));
      expect(explained).toContain(next);
      await terminal.type(documented('npx millrace resume etl'));
      const last = documented('npx millrace watch mjf/etl');
      expect(await terminal.type(last)).toMatch(/etl +Succeed +2 of 2/);
    });

    it('takes the definitions that it has already, as kubectl applies them', async () => {
      const apply = documented('npx millrace crds | kubectl apply --server-side -f -');
      expect(await terminal.type(apply)).toMatch(/jobflows\S* serverside-applied/);
    });

    it('shows what a failure of a shipped flow looks like, and one that succeeds', async () => {
      const failing = documented('npx millrace demo --fail job2');
      const printed = await terminal.type(failing, { code: 7 });
      const [, ...reasons] = await shownBelow(failing);
      expect(reasons).toHaveLength(3);
      for (const reason of reasons) expect(printed).toContain(reason);
      const why = await terminal.type(documented('npx millrace why demo-example'));
      expect(why).toMatch(
        /StepFailed: .*\nnext: kubectl -n default logs job\/demo-example-job2\n$/s,
      );
      const step = documented('npx millrace why demo-example/job3');
      const explained = await terminal.type(step);
      for (const line of await shownBelow(step)) expect(explained).toContain(line);
      expect(await terminal.type(documented('npx millrace why --all'))).not.toContain(
        'demo-example',
      );
      expect(await terminal.type(documented('npx millrace demo'))).toContain('5 of 5 steps');
    });

    it('prints what it decided, also out of a recording', async () => {
      const lines = await terminal.type(documented('npx millrace journal demo-example'));
      expect(lines).toMatch(
        /flow-advance JobFlow\/demo-example: .* -> create Job demo-example-job/,
      );
      const asJson = await terminal.type(documented('npx millrace journal demo-example -o json'));
      expect(asJson.trim().split('\n')).toHaveLength(lines.trim().split('\n').length);
      await terminal.type(documented('npx millrace journal export > ~/recording.ndjson'));
      expect(
        await terminal.type(
          documented('npx millrace journal demo-example --file ~/recording.ndjson'),
        ),
      ).toBe(lines);
      const same = /^\d+ decisions were made again \(\d+ a second\), 0 differ\n$/;
      expect(await terminal.type(documented('npx millrace replay demo-example'))).toMatch(same);
      const ofFile = documented('npx millrace replay --file ~/recording.ndjson');
      expect(await terminal.type(ofFile)).toMatch(same);
      const past = documented('npx millrace journal --from 2h --to 90m');
      expect(await terminal.type(past, { code: 4 })).toContain('the journal has no such decision');
      const whatIf = documented(
        'npx millrace replay --file ~/recording.ndjson --what-if deploy/examples/suspend-nights.yaml',
      );
      expect(await terminal.type(whatIf, { code: 4 })).toContain(' stands on SuspendPolicy/nights');
      const dryRun = documented('npx millrace replay demo-example --deliver --dry-run');
      const would = await terminal.type(dryRun);
      expect(would).toMatch(
        /^flow-advance JobFlow\/default\/demo-example \(event \S+\) would be delivered$/m,
      );
      const delivery = documented('npx millrace replay demo-example --deliver --yes');
      expect(await terminal.type(delivery)).toBe(
        would.replaceAll('would be delivered', 'delivered'),
      );
    });

    it('sees what a suspend policy will do, and lets one object of it run', async () => {
      const preview = documented(
        'npx millrace schedule preview deploy/examples/suspend-nights.yaml --from 2026-03-27 --to 2026-03-31',
      );
      const foreseen = await terminal.type(preview);
      for (const line of await shownBelow(preview)) expect(foreseen).toContain(line);
      await terminal.type('kubectl apply -f deploy/examples/suspend-nights.yaml');
      const wide = documented('kubectl get msp -o wide');
      const [titles] = await shownBelow(wide);
      expect(columnsOf((await terminal.type(wide)).split('\n')[0])).toEqual(columnsOf(titles));
      await terminal.type(
        documented(
          "kubectl annotate job long-calculation millrace.dev/suspend-override='Run;until=2026-03-27T12:00:00Z'",
        ),
      );
    });

    it('refuses a cycle in the words that are shown', async () => {
      const folder = await mkdtemp(join(home, 'mistakes-'));
      await writeFile(join(folder, 'cycle.yaml'), flow('cycle', [step('a', 'b'), step('b', 'a')]));
      const apply = documented('kubectl apply -f cycle.yaml');
      const said = await terminal.type(apply, { code: 1, folder });
      const shown = (await shownBelow(apply)).join(' ');
      expect(said.replaceAll(/\s+/g, ' ')).toContain(shown.slice(shown.indexOf('admission')));
    });
  });

  describe('on every node', () => {
    const nodes = ['vm-0-12-centos', 'vm-0-17-centos'];
    beforeAll(() =>
      begin(documented('npx millrace up --nodes vm-0-12-centos,vm-0-17-centos,node1,node2')),
    );
    afterAll(() => terminal[Symbol.asyncDispose]());

    it('runs a Job on all nodes but those that are excluded', async () => {
      await terminal.type(documented('kubectl apply -f deploy/examples/daemonjob-example.yaml'));
      const list = documented('kubectl get jobs');
      await expect
        .poll(async () => (await terminal.type(list)).trim().split('\n').length, {
          timeout: 20_000,
        })
        .toBe(1 + nodes.length);
      const [titles, ...lines] = await shownBelow(list);
      const [printedTitles, ...jobs] = (await terminal.type(list)).trim().split('\n');
      expect(columnsOf(printedTitles)).toEqual(columnsOf(titles));
      const name = (line: string) => columnsOf(line)[0];
      expect(jobs.map(name)).toEqual(lines.map(name));
      const short = documented('kubectl get daemonjobs.api.practice.com');
      expect(columnsOf((await terminal.type(short)).split('\n')[0])).toEqual(
        columnsOf((await shownBelow(short))[0]),
      );
      expect(await terminal.type(documented('kubectl get mdj -o wide'))).toMatch(
        /^daemonjob-example\s+Running\s/m,
      );
    });

    it('shows it', async () => {
      const follow = terminal.start(documented('npx millrace journal -f --function daemon-fanout'));
      const printed = await terminal.type(documented('npx millrace demo daemonjob'));
      expect(printed).toMatch(/Succeed/);
      await follow.printed(/daemon-fanout DaemonJob\/.* -> applied/);
      await terminal.interrupt(follow);
    });
  });

  describe('on a cluster', () => {
    beforeAll(async () => {
      await mkdir(join(home, '.kube'), { recursive: true });
      await writeFile(join(home, '.kube/config'), await readFile(cluster.kubeconfig));
      terminal = new Terminal({ kubectl: cluster.binaries.kubectl, home });
      await terminal.type(documented('npx millrace crds | kubectl apply --server-side -f -'));
      await terminal.type(
        'kubectl create namespace millrace --dry-run=client -o yaml | kubectl apply -f -',
      );
      const run = documented(
        'npx millrace run --kubeconfig ~/.kube/config --redis redis://127.0.0.1:6379',
      );
      // Uses the Redis of the tests and any free port, and nothing else of the machine.
      const started = terminal.start(
        `${run.replace('redis://127.0.0.1:6379', cluster.redisUrl)} --port 0`,
      );
      await started.said(/flows are being served/);
    });
    afterAll(async () => {
      await terminal.type('kubectl delete -f deploy/examples/hello.yaml --ignore-not-found');
      await terminal.type('kubectl delete namespace team-a --wait=false --ignore-not-found');
      await terminal[Symbol.asyncDispose]();
    });

    it('runs the first example, and kubectl waits for it', async () => {
      await terminal.type(documented('kubectl apply -f deploy/examples/hello.yaml'));
      const watch = terminal.start(documented('kubectl get mjf -w'));
      await terminal.type(documented('kubectl wait --for=condition=Complete mjf/hello'));
      await watch.printed(/^hello\s+Succeed\s/m);
      await terminal.interrupt(watch);
    });

    it('runs what the tutorial wrote in the sandbox', async () => {
      await terminal.type('kubectl apply -f ~/new-year.yaml -f ~/etl.yaml');
      await terminal.type('kubectl wait --for=condition=Suspended mjf/etl');
      await terminal.type('npx millrace resume etl');
      await terminal.type(
        documented('kubectl wait --for=condition=Complete --timeout=60s mjf/etl'),
      );
      await terminal.type(documented('kubectl delete -f ~/etl.yaml -f ~/new-year.yaml'));
    });

    it('has every field explained', async () => {
      const explained = await terminal.type(
        documented('kubectl explain jobflow.spec.flows --recursive'),
      );
      expect(explained).toMatch(/dependencies\s+<\[\]string>/);
    });

    it('takes the address of a Redis of their own', async () => {
      await terminal.type(
        documented(
          'kubectl create secret generic millrace-redis -n millrace --from-literal=url=rediss://user:password@redis.example.com:6379',
        ),
      );
      const secret = 'secret millrace-redis -n millrace';
      expect(
        await terminal.type(`kubectl get ${secret} -o 'jsonpath={.data.url}' | base64 -d`),
      ).toBe('rediss://user:password@redis.example.com:6379');
      await terminal.type(`kubectl delete ${secret}`);
    });

    it('makes a user of Redis for each process, and gives each its URL', async () => {
      const folder = await mkdtemp(join(home, 'users-'));
      await symlink(deploy, join(folder, 'deploy'));
      await terminal.type(documented('redis=redis.example.com:6379'), { folder });
      const secret = 'secret millrace-redis -n millrace';
      const read = await terminal.type(`kubectl get ${secret} -o json`);
      await terminal.type(`kubectl delete ${secret}`);
      const { data } = JSON.parse(read) as { readonly data: Readonly<Record<string, string>> };
      const users = await readFile(join(folder, 'users.acl'), 'utf8');
      const redis = await startRedis({ users });
      try {
        for (const name of redisUserNames) {
          const encoded = data[`${name}-url`] ?? '';
          const url = new URL(Buffer.from(encoded, 'base64').toString());
          expect([url.protocol, url.username, url.host]).toEqual([
            ...['rediss:', name, 'redis.example.com:6379'],
          ]);
          const client = new RedisClient(redis.url, {
            ...{ username: name, password: url.password, maxRetriesPerRequest: 0 },
          });
          expect(await client.info('server')).toContain('redis_version');
          client.disconnect();
        }
      } finally {
        await redis.stop();
      }
    });

    it('lets the authors of flows be named', async () => {
      await terminal.type('kubectl create namespace team-a');
      await terminal.type(
        documented(
          'kubectl create rolebinding flow-authors -n team-a --clusterrole=edit --group=team-a',
        ),
      );
      const may = (what: string) =>
        `kubectl auth can-i update jobflows.api.practice.com ${what} -n team-a --as=somebody --as-group=team-a`;
      expect(await terminal.type(may(''))).toBe('yes\n');
      expect(await terminal.type(may('--subresource=status'), { code: 1 })).toBe('no\n');
    });
  });
});
