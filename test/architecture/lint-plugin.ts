/** The project's own rule for oxlint. It needs no types. */
import type { Rule } from 'eslint';

const getterInLiteral: Rule.RuleModule = {
  meta: {
    type: 'problem',
    messages: {
      kept: 'V8 keeps what a getter of a literal sees until the next full collection: use a class, or a method.',
    },
  },
  create: (context) => ({
    "ObjectExpression > Property[kind='get']": (node: Rule.Node) => {
      context.report({ node, messageId: 'kept' });
    },
  }),
};

export default { meta: { name: 'millrace' }, rules: { 'getter-in-literal': getterInLiteral } };
