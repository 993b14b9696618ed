/** Discovery: groups, versions and resources, for what both servers serve. */
import { kinds } from '../harness/kinds.ts';
import { family, type Rules } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';

const groups = [...new Set(Object.values(kinds).map(({ apiVersion }) => apiVersion))];
const plurals = new Set<string>(Object.values(kinds).map(({ plural }) => plural));

interface ApiResource {
  readonly name: string;
  readonly [field: string]: unknown;
}

interface AggregatedGroup {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly {
      readonly resource: string;
      readonly subresources?: readonly { subresource: string }[];
    }[];
  }[];
}

const isCommon = (name: string) => plurals.has(name.split('/')[0]!);
/**
 * Subresources that the sandbox refuses by design: it runs no real containers and issues no tokens.
 */
const beyond = ['attach', 'exec', 'portforward', 'proxy', 'ephemeralcontainers', 'resize', 'token'];

const perGroup: Rules = Object.fromEntries(
  groups.map((apiVersion) => [
    `resources of ${apiVersion}`,
    async (s: Session) => {
      const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const { code, body } = await s.aside('GET', path);
      s.note('list', [code, body.kind, body['groupVersion']]);
      const found = (body['resources'] as ApiResource[]).filter(
        ({ name }) => isCommon(name) && !beyond.includes(name.split('/')[1] ?? ''),
      );
      for (const resource of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        s.note(resource.name, { ...resource, storageVersionHash: undefined });
      }
    },
  ]),
);

const perGroupPath: Rules = Object.fromEntries(
  groups
    .filter((apiVersion) => apiVersion.includes('/'))
    .map((apiVersion) => [
      `the group of ${apiVersion}`,
      async (s: Session) => {
        const { code, body } = await s.aside('GET', `/apis/${apiVersion.split('/')[0]}`);
        s.note('group', [code, body.kind, body['name'], body['preferredVersion']]);
      },
    ]),
);

const accept =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

export const discoveryScripts = family('discovery', {
  ...perGroup,
  ...perGroupPath,
  'versions of the core group': async (s) => {
    const { body } = await s.aside('GET', '/api');
    s.note('versions', [body.kind, body['versions']]);
  },
  'groups that both serve': async (s) => {
    const { body } = await s.aside('GET', '/apis');
    const found = (body['groups'] as { name: string }[]).filter(({ name }) =>
      groups.some((known) => known.startsWith(`${name}/`)),
    );
    s.note(
      'names',
      found.map(({ name }) => name),
    );
  },
  'all at once': async (s) => {
    for (const path of ['/api', '/apis']) {
      const { body } = await s.aside('GET', path, { headers: { accept } });
      s.note(`${path} is`, [body.apiVersion, body.kind]);
      const items = body.items as unknown as AggregatedGroup[];
      for (const group of items.filter(
        ({ metadata }) =>
          metadata.name === undefined ||
          ['batch', 'coordination.k8s.io', ''].includes(metadata.name),
      )) {
        for (const { version, resources } of group.versions.filter((it) => it.version === 'v1')) {
          const found = resources
            .filter(({ resource }) => isCommon(resource))
            .map(({ subresources = [], ...rest }) => ({
              ...rest,
              subresources: subresources.filter(({ subresource }) => !beyond.includes(subresource)),
            }));
          for (const resource of found) s.note(`${version} ${resource.resource}`, resource);
        }
      }
    }
  },
  'OpenAPI v3 has a document for each group': async (s) => {
    const { code, body } = await s.aside('GET', '/openapi/v3');
    const paths = Object.keys(body['paths'] as object);
    s.note('code', code);
    for (const apiVersion of groups) {
      const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
      s.note(path, paths.includes(path));
    }
  },
  'OpenAPI v2 is there': async (s) => {
    const { code, body } = await s.aside('GET', '/openapi/v2');
    s.note('answer', [code, body['swagger'], typeof body['definitions']]);
  },
});
