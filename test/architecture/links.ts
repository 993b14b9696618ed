import { posix } from 'node:path';

export interface Page {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/**
 * Broken references of pages, as `page: target`: relative links, their anchors, and paths in code
 * style from the root.
 */
export function deadReferences(
  pages: readonly Page[],
  exists: (path: string) => boolean,
): readonly string[] {
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));
  return pages.flatMap((page) => {
    const links = linksOf(page).filter(({ path, anchor }) => {
      if (!exists(path)) return true;
      return anchor !== undefined && anchors.get(path)?.has(anchor) !== true;
    });
    const files = filesNamedIn(page.text).filter((path) => !exists(path));
    return [...links.map(({ target }) => target), ...files].map((dead) => `${page.path}: ${dead}`);
  });
}

interface Link {
  readonly target: string;
  readonly path: string;
  readonly anchor?: string;
}

function linksOf({ path: page, text }: Page): readonly Link[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? page : posix.join(posix.dirname(page), file);
    return [{ target, path, ...(anchor === undefined ? {} : { anchor }) }];
  });
}

function filesNamedIn(text: string): readonly string[] {
  const named = text.matchAll(/`((?:shared|functions|sandbox|test|deploy)\/[\w./-]+\.\w+)`/g);
  return [...named].map(([, path = '']) => path);
}

/** The anchors that code hosts make of headings. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
