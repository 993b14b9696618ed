/** Label selectors as text, with the grammar and the error texts of apimachinery's labels package. */
import { type Labels, meets, type Operator, type Requirement } from './label-selector.ts';
import { badRequest } from './status-error.ts';
import { labelKeyFault, labelValueFault } from './names.ts';

export type LabelPredicate = (labels: Labels | undefined) => boolean;

const parsed = new Map<string, LabelPredicate>();
const keptSelectors = 1_000;

/** Undefined for an empty selector, which selects everything. Throws StatusError 400. */
export function labelSelector(text: string | undefined): LabelPredicate | undefined {
  if (text === undefined || text === '') return undefined;
  let predicate = parsed.get(text);
  if (predicate === undefined) {
    predicate = predicateOf(new SelectorParser(text).parse());
    if (parsed.size >= keptSelectors) parsed.clear();
    parsed.set(text, predicate);
  }
  return predicate;
}

function predicateOf(requirements: readonly Requirement[]): LabelPredicate {
  return (labels = {}) => requirements.every((requirement) => meets(requirement, labels));
}

const symbols = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'] as const;
const operators: Readonly<Record<string, Operator>> = {
  in: 'In',
  notin: 'NotIn',
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
};

const endOfText = '';

class SelectorParser {
  readonly #text: string;
  #place = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token === endOfText) return requirements;
      if (token !== '!' && isSymbol(token)) {
        throw badRequest(`found '${token}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next === endOfText) return requirements;
      if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following !== '!' && (following === endOfText || isSymbol(following))) {
        throw badRequest(`found '${following}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    const isAbsence = this.#peek() === '!';
    if (isAbsence) this.#take();
    const key = this.#take();
    if (key === endOfText || isSymbol(key)) throw fault(`found '${key}', expected: identifier`);
    checkKey(key);
    const next = this.#peek();
    if (isAbsence || next === endOfText || next === ',') {
      return { key, operator: isAbsence ? 'DoesNotExist' : 'Exists', values: [] };
    }
    const operator = operators[this.#take()];
    if (operator === undefined) {
      throw fault(`found '${next}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const isSet = next === 'in' || next === 'notin';
    return this.#checked(key, operator, isSet ? this.#set() : [this.#exactValue()]);
  }

  #checked(key: string, operator: Operator, values: readonly string[]): Requirement {
    if (operator === 'Gt' || operator === 'Lt') {
      if (!/^[+-]?\d+$/.test(values[0] ?? '')) {
        const fieldFault = `values[0]: Invalid value: ${JSON.stringify(values[0])}`;
        throw fault(`${fieldFault}: for 'Gt', 'Lt' operators, the value must be an integer`);
      }
    }
    for (const [position, value] of values.entries()) checkValue(key, value, position);
    return { key, operator, values };
  }

  #set(): readonly string[] {
    const open = this.#take();
    if (open !== '(') throw fault(`found '${open}' expected: '('`);
    const values = new Set<string>();
    for (;;) {
      const token = this.#peek();
      if (token === ')' || token === ',') values.add('');
      else values.add(this.#take());
      const next = this.#take();
      if (next === ')') return [...values].sort();
      if (next !== ',') throw fault(`found '${next}', expected: ',' or ')'`);
    }
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next === endOfText || next === ',') return '';
    const value = this.#take();
    if (isSymbol(value)) throw fault(`found '${value}', expected: identifier`);
    return value;
  }

  #peek(): string {
    const place = this.#place;
    const token = this.#take();
    this.#place = place;
    return token;
  }

  #take(): string {
    while (/\s/.test(this.#text[this.#place] ?? '')) this.#place += 1;
    const rest = this.#text.slice(this.#place);
    const token =
      symbols.find((symbol) => rest.startsWith(symbol)) ?? /^[^=!(),><\s]*/.exec(rest)?.[0] ?? '';
    this.#place += token.length;
    return token;
  }
}

function isSymbol(token: string): boolean {
  return (symbols as readonly string[]).includes(token);
}

function checkKey(key: string): void {
  const found = labelKeyFault(key);
  if (found !== undefined) throw fault(`<nil>: Invalid value: ${JSON.stringify(key)}: ${found}`);
}

function checkValue(key: string, value: string, position: number): void {
  const found = labelValueFault(value);
  if (found === undefined) return;
  throw fault(`values[${position}][${key}]: Invalid value: ${JSON.stringify(value)}: ${found}`);
}

function fault(detail: string): Error {
  return badRequest(`unable to parse requirement: ${detail}`);
}
