import { describeRef, refOf, type KubeObject } from "./kube-object.ts";
import { listOtherManagers, readError } from "./read-error.ts";
import type { Transport } from "./transport.ts";

/** The name under which our fields are kept. */
export const fieldManager = "cloudwright";

/** How an object is applied. */
export interface ApplyOptions {
  /** Nothing is kept; the answer is what it would be. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Server-side apply. A field that another manager has set to another value is a fault that names the manager. Only where all such fields
 * are our own, as after a release that wrote them in another way, it is insisted on.
 */
export async function applyObject(
  transport: Transport,
  path: string,
  object: KubeObject,
  { dryRun, signal }: ApplyOptions,
): Promise<KubeObject> {
  const what = `apply ${describeRef(refOf(object))}`;
  const send = (force: boolean): ReturnType<Transport["ask"]> =>
    transport.ask({
      method: "PATCH",
      path,
      query: { fieldManager, force, dryRun: dryRun === true ? "All" : undefined },
      // JSON is YAML.
      contentType: "application/apply-patch+yaml",
      body: object,
      signal,
      what,
    });
  let { status, body } = await send(false);
  if (status === 409) {
    const others = listOtherManagers(body);
    if (others.length > 0 && others.every(({ manager }) => manager === fieldManager)) ({ status, body } = await send(true));
  }
  if (status !== 200 && status !== 201) throw readError(what, status, body);
  return body as KubeObject;
}
