/**
 * Lint rule: a name that users choose is never looked up along the prototype chain.
 *
 * `labels[key]` finds a function for the key `constructor`, and `record[key] = value` loses the member
 * `__proto__`. The rule reports computed access with a key of type `string` to objects with arbitrary members.
 * Use `ownMember` (shared/domain/own-member.ts), a `Map`, or `Object.fromEntries`.
 *
 * Accepted as they are: keys that were listed from the same object (`Object.keys(o)`, `for ... in o`), keys out of
 * a list of literals, and what `Object.hasOwn(o, key)` guards in the same expression.
 */
import { AST_NODE_TYPES, ESLintUtils, type TSESTree } from '@typescript-eslint/utils';
import ts from 'typescript';

type Node = TSESTree.Node;

export const ownMembersRule = ESLintUtils.RuleCreator.withoutDocs({
  meta: {
    type: 'problem',
    schema: [],
    defaultOptions: [],
    messages: {
      inherited:
        'A name that is not known in advance may be one that objects inherit (`constructor`, `__proto__`): use ownMember, a Map, or Object.fromEntries.',
    },
  },
  create: (context) => {
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();
    const textOf = (node: Node): string => context.sourceCode.getText(node);

    const isAnyName = (node: Node): boolean =>
      parts(
        checker.getBaseConstraintOfType(services.getTypeAtLocation(node)) ??
          services.getTypeAtLocation(node),
      ).some(
        (type) =>
          (type.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0 ||
          (type.isIntersection() &&
            type.types.some((part) => (part.flags & ts.TypeFlags.String) !== 0)),
      );

    const isOpen = (node: Node): boolean =>
      parts(checker.getNonNullableType(services.getTypeAtLocation(node))).some(
        (type) => checker.getIndexInfoOfType(type, ts.IndexKind.String) !== undefined,
      );

    const isListedFrom = (object: string, key: Node): boolean => {
      if (key.type !== AST_NODE_TYPES.Identifier) return false;
      const definition = definitionOf(context.sourceCode.getScope(key), key.name);
      if (definition === undefined) return false;
      const source = sourceOf(definition);
      if (source === undefined) return false;
      if (isLiteralList(source)) return true;
      const listed = keysOf(source);
      return listed !== undefined && textOf(listed) === object;
    };

    const isGuarded = (node: Node, object: string, key: string): boolean => {
      const guard = `Object.hasOwn(${object}, ${key})`;
      let inner: Node = node;
      for (let at = node.parent; at !== undefined && isPartOfExpression(at); at = at.parent) {
        const test = testBefore(at, inner);
        if (test !== undefined && textOf(test).startsWith(guard)) return true;
        inner = at;
      }
      return false;
    };

    const isWritten = ({ parent }: TSESTree.MemberExpression, node: Node): boolean =>
      parent.type === AST_NODE_TYPES.AssignmentExpression && parent.left === node;

    return {
      'MemberExpression[computed=true]'(node: TSESTree.MemberExpression) {
        const { object, property } = node;
        if (property.type === AST_NODE_TYPES.Literal || !isAnyName(property) || !isOpen(object)) {
          return;
        }
        const name = textOf(object);
        if (!isWritten(node, node) && isListedFrom(name, property)) return;
        if (isGuarded(node, name, textOf(property))) return;
        context.report({ node, messageId: 'inherited' });
      },
      "BinaryExpression[operator='in']"({ left, right }: TSESTree.BinaryExpression) {
        if (left.type === AST_NODE_TYPES.Literal || !isAnyName(left)) return;
        context.report({ node: right, messageId: 'inherited' });
      },
      'ObjectPattern > Property[computed=true]'(node: TSESTree.Property) {
        if (!isAnyName(node.key) || !isOpen(node.parent)) return;
        context.report({ node, messageId: 'inherited' });
      },
    };
  },
});

function isPartOfExpression({ type }: Node): boolean {
  return (
    !type.endsWith('Statement') && !type.includes('Function') && type !== AST_NODE_TYPES.Program
  );
}

/** The condition that holds whenever `inner` is evaluated. */
function testBefore(outer: Node, inner: Node): Node | undefined {
  if (outer.type === AST_NODE_TYPES.ConditionalExpression) {
    return outer.consequent === inner ? outer.test : undefined;
  }
  if (outer.type !== AST_NODE_TYPES.LogicalExpression || outer.operator !== '&&') return undefined;
  return outer.right === inner ? outer.left : undefined;
}

function parts(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

interface Scope {
  readonly set: ReadonlyMap<string, { readonly defs: readonly { readonly node: Node }[] }>;
  readonly upper: Scope | null;
}

function definitionOf(scope: Scope | null, name: string): Node | undefined {
  for (let at = scope; at !== null; at = at.upper) {
    const variable = at.set.get(name);
    if (variable !== undefined) return variable.defs[0]?.node;
  }
  return undefined;
}

/** The iterated value of a loop or of an array method's callback. `for ... in` counts as a listing of keys. */
function sourceOf(definition: Node): Node | undefined {
  if (definition.type === AST_NODE_TYPES.VariableDeclarator) {
    const loop = definition.parent.parent;
    const isLoop =
      loop.type === AST_NODE_TYPES.ForInStatement || loop.type === AST_NODE_TYPES.ForOfStatement;
    return isLoop ? (loop.type === AST_NODE_TYPES.ForInStatement ? loop : loop.right) : undefined;
  }
  if (definition.type !== AST_NODE_TYPES.ArrowFunctionExpression) return undefined;
  const { parent } = definition;
  if (parent.type !== AST_NODE_TYPES.CallExpression) return undefined;
  return parent.callee.type === AST_NODE_TYPES.MemberExpression ? parent.callee.object : undefined;
}

function isLiteralList(node: Node): boolean {
  return (
    node.type === AST_NODE_TYPES.ArrayExpression &&
    node.elements.every((element) => element?.type === AST_NODE_TYPES.Literal)
  );
}

/** The object whose keys are listed by `Object.keys(o)`, even behind array methods that only filter or sort. */
function keysOf(node: Node): Node | undefined {
  if (node.type === AST_NODE_TYPES.ForInStatement) return node.right;
  if (node.type !== AST_NODE_TYPES.CallExpression) return undefined;
  const { callee } = node;
  if (callee.type !== AST_NODE_TYPES.MemberExpression) return undefined;
  if (callee.property.type !== AST_NODE_TYPES.Identifier) return undefined;
  const { name } = callee.property;
  if (['filter', 'sort', 'toSorted', 'slice'].includes(name)) return keysOf(callee.object);
  const isKeys =
    callee.object.type === AST_NODE_TYPES.Identifier && callee.object.name === 'Object';
  return isKeys && name === 'keys' ? node.arguments[0] : undefined;
}
