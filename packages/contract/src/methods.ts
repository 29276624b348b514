import { getOption, hasOption, type DescMethod } from "@bufbuild/protobuf";
import { access } from "../gen/cloudwright/v1/options_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";
import type { Role } from "./kinds.ts";
import { services } from "./services.ts";

/** One operation, as the proto files declare it: what it does, who may call it, where it is reached. */
export interface Method {
  /** `cloudwright.v1.ClusterService/CreateCluster`. */
  readonly id: string;
  readonly descriptor: DescMethod;
  readonly verb: string;
  readonly kind: string;
  readonly role: Role | "authenticated" | "public";
  /** The role is asked platform-wide. */
  readonly platform: boolean;
  readonly bindings: readonly HttpBinding[];
  readonly streaming: boolean;
}

export interface HttpBinding {
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "PATCH";
  /** For example `/v1/projects/{project}/clusters/{name}:pause`. */
  readonly path: string;
  /** Name of the request field that the body fills; `*` for the whole request; empty for none. */
  readonly body: string;
}

/** Every operation, found by reflection. */
export const methods: readonly Method[] = services.flatMap((service) => service.methods.map(readMethod));

/** The operation of a kind and verb; that there is none is a programming error. */
export function getMethod(kind: string, verb: string): Method {
  const operation = methods.find((candidate) => candidate.kind === kind && candidate.verb === verb);
  if (operation === undefined) throw new Error(`no operation ${verb} ${kind}`);
  return operation;
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
