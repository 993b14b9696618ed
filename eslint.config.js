import tseslint from 'typescript-eslint';
import { ownMembersRule } from './test/architecture/own-members-rule.ts';

/** The one rule of our own that asks the type checker; oxlint.config.ts has all others. */
export default tseslint.config({
  files: ['shared/**/*.ts', 'functions/**/*.ts'],
  ignores: ['**/*.test.ts', '**/testing/**', 'shared/domain/own-member.ts'],
  languageOptions: {
    parser: tseslint.parser,
    parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
  },
  plugins: { millrace: { rules: { 'own-members': ownMembersRule } } },
  rules: { 'millrace/own-members': 'error' },
});
