import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { ownMembersRule } from './test/architecture/own-members-rule.ts';

const forbiddenInDecisions = ['process', 'fetch', 'console', 'setTimeout', 'setInterval'].map(
  (name) => ({ name, message: 'decide is pure: it depends on its arguments only (law 4).' }),
);

const getterInLiteral = {
  selector: "ObjectExpression > Property[kind='get']",
  message:
    'V8 keeps what a getter of a literal sees until the next full collection: use a class, or a method.',
};

const weakSignals = {
  object: 'AbortSignal',
  property: 'any',
  message: 'What it follows may be collected before anybody looks: shared/domain/under-either.ts.',
};

export default tseslint.config(
  { ignores: ['node_modules/', 'coverage/', 'dist/', 'deploy/crds/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // There are no enums, and types count by their shape.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      eqeqeq: 'error',
      'no-restricted-properties': ['error', weakSignals],
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only a main.ts reads the environment.',
        },
        getterInLiteral,
      ],
    },
  },
  {
    files: [
      '**/main.ts',
      '**/testing/**',
      'functions/millrace/**',
      'test/**',
      'deploy/**',
      '*.config.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', getterInLiteral] },
  },
  {
    // Made once for a suite.
    files: ['test/support/**'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: [
      'shared/{domain,parents,policy,render,schedule}/**/*.ts',
      'functions/*/decide.ts',
      'functions/*/decide/**/*.ts',
    ],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', ...forbiddenInDecisions],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time comes in as nowMs.' },
        { object: 'Math', property: 'random', message: 'Randomness comes in as an argument.' },
        weakSignals,
      ],
    },
  },
  {
    // Somebody else may write the text: one that is twice as long must not cost four times the work.
    files: ['shared/**/*.ts', 'functions/**/*.ts', 'sandbox/**/*.ts'],
    ignores: ['**/*.test.ts', '**/testing/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['shared/**/*.ts', 'functions/**/*.ts'],
    ignores: ['**/*.test.ts', '**/testing/**', 'shared/domain/own-member.ts'],
    plugins: { millrace: { rules: { 'own-members': ownMembersRule } } },
    rules: { 'millrace/own-members': 'error' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
