import { jsonOf, type Kept } from "../cluster/cluster-state.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import type { Kind } from "../kinds/kinds.ts";
import { apiVersionOf } from "../kinds/kinds.ts";
import { partial, renderTable, type TableRequest } from "../tables/render-table.ts";
import type { ResourceCall } from "./call.ts";

/** How a client wants objects to be rendered: in full, as a table, or as metadata only. */
export interface Representation {
  readonly form: "object" | "table" | "metadata";
  one(object: KubeObject): unknown;
  /** Renders the next object of a stream as JSON text. In table form, only the first one includes the column definitions. */
  next(object: KubeObject): string;
  /** Renders a list as JSON text, one piece per object. A piece is rendered only when the client is ready to read it. */
  list(kept: readonly Kept[], metadata: object): Iterable<string>;
}

/** Chooses a representation based on the `Accept` header. */
export function readRepresentation(call: ResourceCall): Representation {
  const accept = call.headers["accept"] ?? "";
  const first =
    accept
      .split(",")
      .find(
        (part) => /as=(Table|PartialObjectMetadata(List)?)/.test(part) || /^\s*(application\/json|\*\/\*)\s*(;q=|$)/.test(part),
      ) ?? "";
  if (first.includes("as=Table")) return tableForm(call);
  if (first.includes("as=PartialObjectMetadata")) return metadataForm();
  return objectForm(call.kind);
}

function objectForm(kind: Kind): Representation {
  const apiVersion = apiVersionOf(kind);
  const shown = (object: KubeObject): KubeObject => (object.apiVersion === apiVersion ? object : { ...object, apiVersion });
  return {
    form: "object",
    one: shown,
    next: (object) => renderOnce(object, apiVersion, shown),
    list: (kept, metadata) =>
      renderList(
        kept,
        `{"kind":"${kind.kind}List","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`,
        (object, one) =>
          one.object === object && object.apiVersion === apiVersion ? jsonOf(one) : JSON.stringify(shown(object)),
      ),
  };
}

const texts = new WeakMap<KubeObject, Map<string, string>>();

/** Renders an object once for all watchers, because a cluster may have hundreds of watchers. */
function renderOnce(object: KubeObject, apiVersion: string, shown: (object: KubeObject) => KubeObject): string {
  const known = texts.get(object) ?? new Map<string, string>();
  texts.set(object, known);
  let text = known.get(apiVersion);
  if (text === undefined) known.set(apiVersion, (text = JSON.stringify(shown(object))));
  return text;
}

function metadataForm(): Representation {
  return {
    form: "metadata",
    one: partial,
    next: (object) => JSON.stringify(partial(object)),
    list: (kept, metadata) =>
      renderList(
        kept,
        `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(metadata)},"items":[`,
        (object) => JSON.stringify(partial(object)),
      ),
  };
}

function renderList(kept: readonly Kept[], head: string, render: (object: KubeObject, kept: Kept) => string): Iterable<string> {
  // Copies the references to the objects, because an entry may get a new object while the client reads the list.
  const objects = kept.map(({ object }) => object);
  return (function* () {
    yield head;
    for (const [index, object] of objects.entries()) yield `${index === 0 ? "" : ","}${render(object, kept[index] as Kept)}`;
    yield "]}";
  })();
}

function tableForm(call: ResourceCall): Representation {
  const request: TableRequest = {
    resource: call.kind.resource,
    custom: call.cluster.kinds.findCustom(call.kind),
    includeObject: call.query.get("includeObject") ?? "Metadata",
    nowMs: call.cluster.clock.now(),
  };
  let isFirst = true;
  const now = (): TableRequest => ({ ...request, nowMs: call.cluster.clock.now() });
  return {
    form: "table",
    one: (object) => renderTable(request, [object], { resourceVersion: object.metadata.resourceVersion }),
    next(object) {
      const table = renderTable(now(), [object], { resourceVersion: object.metadata.resourceVersion }, isFirst);
      isFirst = false;
      return JSON.stringify(table);
    },
    list(kept, metadata) {
      const { rows: _, ...head } = renderTable(request, [], metadata);
      return renderList(kept, `${JSON.stringify(head).slice(0, -1)},"rows":[`, (object) =>
        JSON.stringify(renderTable(request, [object], metadata).rows[0]),
      );
    },
  };
}
