/** Finds the changes that the compiler lets pass: only those could ever be committed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Candidate } from './candidates.ts';

/** Something is unused, or not reached: untidy, not wrong. */
const untidy: ReadonlySet<number> = new Set([6133, 6138, 6192, 6196, 6198, 7027]);

export class TypeCheck {
  readonly #root: string;
  readonly #changed = new Map<string, string>();
  readonly #service: ts.LanguageService;
  #version = 0;

  constructor(root: string) {
    this.#root = root;
    const text = readFileSync(join(root, 'tsconfig.json'), 'utf8');
    const parsed = ts.parseConfigFileTextToJson('tsconfig.json', text).config as unknown;
    const { options, fileNames } = ts.parseJsonConfigFileContent(parsed, ts.sys, root);
    const product = fileNames.filter((file) => /\/(?:shared|functions|sandbox)\//.test(file));
    this.#service = ts.createLanguageService(this.#hostOf(options, product));
  }

  /** Those of the candidates, each of another file, that have no fault in their own file. */
  passing(candidates: readonly Candidate[]): readonly Candidate[] {
    this.#version += 1;
    for (const { file, source } of candidates) this.#changed.set(join(this.#root, file), source);
    const passing = candidates.filter(({ file }) => !this.#isFaulty(join(this.#root, file)));
    this.#changed.clear();
    return passing;
  }

  #isFaulty(path: string): boolean {
    return [
      ...this.#service.getSyntacticDiagnostics(path),
      ...this.#service.getSemanticDiagnostics(path),
    ].some(({ code, category }) => category === ts.DiagnosticCategory.Error && !untidy.has(code));
  }

  #hostOf(options: ts.CompilerOptions, files: string[]): ts.LanguageServiceHost {
    const read = (path: string) => this.#changed.get(path) ?? ts.sys.readFile(path);
    return {
      getCompilationSettings: () => options,
      getCurrentDirectory: () => this.#root,
      getDefaultLibFileName: (compilerOptions) => ts.getDefaultLibFilePath(compilerOptions),
      getScriptFileNames: () => files,
      getScriptVersion: (path) => (this.#changed.has(path) ? `${this.#version}` : 'as it is'),
      getScriptSnapshot: (path) => {
        const text = read(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      fileExists: (path) => ts.sys.fileExists(path),
      readFile: read,
      readDirectory: (...args) => ts.sys.readDirectory(...args),
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
    };
  }
}
