/**
 * Manifests with holes that Helm fills. While they are objects a hole is a word that YAML writes as it is;
 * in the text it becomes what the template says.
 */

/** What a template says in the place of a value. */
interface Hole {
  readonly expression: string;
  /** The field is there only when this is set; `.` is its value then. */
  readonly ifSet?: string;
}

export class Holes {
  readonly #holes: Hole[] = [];

  /** `{{ expression }}`. A text that could be read as something else needs `| quote`. */
  said(expression: string): string {
    return this.#word({ expression });
  }

  /** The value of a field, or of an environment variable, that is there only when `path` is set. */
  whenSet(path: string, expression = 'toJson .'): string {
    return this.#word({ expression, ifSet: path });
  }

  #word(hole: Hole): string {
    this.#holes.push(hole);
    return `HOLE${this.#holes.length - 1}HOLE`;
  }

  /** The template that the text of manifests is. */
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
