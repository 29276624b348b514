import { getOption, hasOption, type DescMethod } from "@bufbuild/protobuf";
import { access } from "../gen/cloudwright/v1/options_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";
import type { Role } from "./kinds.ts";
import { services } from "./services.ts";

/** A method as the proto files declare it: its verb, the role it requires and its paths. */
export interface Method {
  /** For example `cloudwright.v1.ClusterService/CreateCluster`. */
  readonly id: string;
  readonly descriptor: DescMethod;
  readonly verb: string;
  readonly kind: string;
  readonly role: Role | "authenticated" | "public";
  /** True if the role is required on the whole platform. */
  readonly platform: boolean;
  readonly bindings: readonly HttpBinding[];
  readonly streaming: boolean;
}

export interface HttpBinding {
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "PATCH";
  /** For example `/v1/projects/{project}/clusters/{name}:pause`. */
  readonly path: string;
  /** Name of the request field that the body fills. `*` means the whole request, empty means no body. */
  readonly body: string;
}

/** Every method, found by reflection. */
export const methods: readonly Method[] = services.flatMap((service) => service.methods.map(readMethod));

/** Returns the method with a kind and a verb. Throws if there is none, which is a programming error. */
export function getMethod(kind: string, verb: string): Method {
  const method = methods.find((candidate) => candidate.kind === kind && candidate.verb === verb);
  if (method === undefined) throw new Error(`there is no method ${verb} ${kind}`);
  return method;
}

function readMethod(descriptor: DescMethod): Method {
  if (!hasOption(descriptor, access)) throw new Error(`${descriptor.toString()} has no (access) option`);
  const { verb, kind, role, platform } = getOption(descriptor, access);
  return {
    id: `${descriptor.parent.typeName}/${descriptor.name}`,
    descriptor,
    verb,
    kind,
    role: role as Method["role"],
    platform,
    bindings: hasOption(descriptor, http) ? readBindings(getOption(descriptor, http)) : [],
    streaming: descriptor.methodKind === "server_streaming",
  };
}

function readBindings(rule: HttpRule): HttpBinding[] {
  const { pattern } = rule;
  if (pattern.case === undefined) throw new Error("an http rule without a path");
  const method = pattern.case.toUpperCase() as HttpBinding["method"];
  return [{ method, path: pattern.value, body: rule.body }, ...rule.additionalBindings.flatMap(readBindings)];
}
