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
  /** Renders the next object of a stream. In table form, only the first one includes the column definitions. */
  next(object: KubeObject): unknown;
  /** Renders a list as JSON text. */
  list(kept: readonly Kept[], metadata: object): string;
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
    next: shown,
    list(kept, metadata) {
      const items = kept.map((one) => (one.object.apiVersion === apiVersion ? jsonOf(one) : JSON.stringify(shown(one.object))));
      return `{"kind":"${kind.kind}List","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[${items.join(",")}]}`;
    },
  };
}

function metadataForm(): Representation {
  return {
    form: "metadata",
    one: partial,
    next: partial,
    list(kept, metadata) {
      const items = kept.map(({ object }) => partial(object));
      return JSON.stringify({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items });
    },
  };
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
      return table;
    },
    list: (kept, metadata) =>
      JSON.stringify(
        renderTable(
          request,
          kept.map(({ object }) => object),
          metadata,
        ),
      ),
  };
}
