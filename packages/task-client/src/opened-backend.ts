import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OpenedBackend, OpenedBackendSchema } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Secret } from "@cloudwright/platform";
import type { StateBackend } from "./handler.ts";

/** Reads the state backend from a message and wraps its secrets. */
export function readOpenedBackend({ name, type, settings, secrets }: OpenedBackend): StateBackend {
  const wrapped = Object.entries(secrets).map(([variable, value]) => [variable, new Secret(value)] as const);
  return { name, type, settings: { ...settings }, secrets: Object.fromEntries(wrapped) };
}

/** Renders a state backend as a message. The message contains secrets in clear text. */
export function renderOpenedBackend({ secrets, ...backend }: StateBackend): MessageInitShape<typeof OpenedBackendSchema> {
  const revealed = Object.entries(secrets).map(([variable, value]) => [variable, value.reveal()] as const);
  return { ...backend, settings: { ...backend.settings }, secrets: Object.fromEntries(revealed) };
}
