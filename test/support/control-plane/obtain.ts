import { obtainBinaries } from './binaries.ts';

const paths = await obtainBinaries((line) => {
  process.stderr.write(`${line}\n`);
});
process.stdout.write(`${Object.values(paths).join('\n')}\n`);
