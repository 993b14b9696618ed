/**
 * Manifests with placeholders that Helm fills. In an object a placeholder is a word that YAML writes
 * unchanged. In the text it becomes a template expression.
 */

/** A template expression in the place of a value. */
interface Hole {
  readonly expression: string;
  /** The field is included only if this is set; `.` is its value then. */
  readonly ifSet?: string;
}

export class Holes {
  readonly #holes: Hole[] = [];

  /** `{{ expression }}`. A text that YAML could read as another type needs `| quote`. */
  said(expression: string): string {
    return this.#word({ expression });
  }

  /** The value of a field or environment variable that is included only if `path` is set. */
  whenSet(path: string, expression = 'toJson .'): string {
    return this.#word({ expression, ifSet: path });
  }

  #word(hole: Hole): string {
    this.#holes.push(hole);
    return `HOLE${this.#holes.length - 1}HOLE`;
  }

  /** Turns the text of manifests into a template. */
  fill(text: string): string {
    return text
      .replaceAll('{{', '{{ "{{" }}')
      .replace(
        /^( *)- name: (\S+)\n *value: HOLE(\d+)HOLE$/gm,
        (lines, indent: string, name: string, index) => {
          const { ifSet, expression } = this.#hole(index);
          if (ifSet === undefined) return lines;
          const entry = `${indent}- name: ${name}\n${indent}  value: {{ ${expression} }}`;
          return within(ifSet, indent, entry);
        },
      )
      .replace(/^( *)(\S+): HOLE(\d+)HOLE$/gm, (line, indent: string, field: string, index) => {
        const { ifSet, expression } = this.#hole(index);
        if (ifSet === undefined) return line;
        return within(ifSet, indent, `${indent}${field}: {{ ${expression} }}`);
      })
      .replace(/HOLE(\d+)HOLE/g, (_, index) => `{{ ${this.#hole(index).expression} }}`);
  }

  #hole(index: unknown): Hole {
    const hole = this.#holes[Number(index)];
    if (hole === undefined) throw new Error(`there is no hole ${String(index)}`);
    return hole;
  }
}

function within(path: string, indent: string, lines: string): string {
  return `${indent}{{- with ${path} }}\n${lines}\n${indent}{{- end }}`;
}
