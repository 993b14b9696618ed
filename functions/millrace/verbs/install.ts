import { type Command, Option } from 'commander';
import type { InstallOptions, UninstallOptions } from '../commands/install-options.ts';
import { positiveInteger } from '../option-values.ts';
import { say } from '../terminal/say.ts';
import { inCluster, withConfirmation, withExamples } from '../usual-options.ts';

export function addInstall(program: Command): void {
  for (const [name, description] of [
    ['install', 'install Millrace into a cluster, and wait until it is ready'],
    ['upgrade', 'change what is installed to this version, and to what the options say'],
  ] as const) {
    withExamples(
      inCluster(program.command(name)),
      `${name} --dry-run`,
      `${name} --knative --cert-manager`,
      `${name} --dry-run -o yaml > millrace.yaml`,
    )
      .description(description)
      .option('--knative', 'functions and admissions as Knative Services')
      .option('--kueue', 'beside a Kueue, whose manager may read the kinds of Millrace')
      .option('--namespaced', 'serve this namespace only, without rights in any other')
      .option('--image-prefix <prefix>', 'where the images are (default: millrace.dev)')
      .option('--cert-manager', 'cert-manager makes the certificates')
      .option('--external-redis', 'the Secret millrace-redis has the url of your own')
      .option('--dry-run', 'write nothing; name each object that would be created or changed')
      .addOption(
        new Option('-o, --output <format>', 'with --dry-run: yaml is the manifests themselves')
          .choices(['text', 'yaml'])
          .default('text'),
      )
      .option('--no-wait', 'return before it is ready')
      .option('--timeout <seconds>', 'give up waiting after this long', positiveInteger, 300)
      .action(async (options: InstallOptions) => {
        const { install } = await import('../commands/install.ts');
        await install(options, say);
      });
  }
}

export function addUninstall(program: Command): void {
  withExamples(
    withConfirmation(inCluster(program.command('uninstall'))),
    'uninstall --dry-run',
    'uninstall --delete-objects --yes',
  )
    .description('remove Millrace from a cluster; its kinds and their objects stay')
    .option('--delete-objects', 'remove the kinds too, if none of their objects is left')
    .option('--dry-run', 'remove nothing; print what would be removed')
    .action(async (options: UninstallOptions) => {
      const { uninstall } = await import('../commands/uninstall.ts');
      await uninstall(options, say);
    });
}
