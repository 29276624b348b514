import { getOption, hasOption, type DescMethod } from "@bufbuild/protobuf";
import { access } from "../gen/cloudwright/v1/options_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";
import type { Role } from "./kinds.ts";
import { services } from "./services.ts";

/** A method as declared in the proto files: its verb, required role and REST paths. */
export interface Method {
  /** Full name, for example `cloudwright.v1.ClusterService/CreateCluster`. */
  readonly id: string;
  readonly descriptor: DescMethod;
  readonly verb: string;
  readonly kind: string;
  readonly role: Role | "authenticated" | "public";
  /** True if the caller needs the role on the whole platform, not only in a project. */
  readonly platform: boolean;
  readonly bindings: readonly HttpBinding[];
  readonly streaming: boolean;
}

export interface HttpBinding {
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "PATCH";
  /** Path template, for example `/v1/projects/{project}/clusters/{name}:pause`. */
  readonly path: string;
  /** Request field that contains the HTTP body. `*` means the whole request; empty means no body. */
  readonly body: string;
}

/** All methods of the API. */
export const methods: readonly Method[] = services.flatMap((service) => service.methods.map(readMethod));

/** Returns the method for a kind and verb. Throws if there is none, which is a programming error. */
export function getMethod(kind: string, verb: string): Method {
  const method = methods.find((candidate) => candidate.kind === kind && candidate.verb === verb);
  if (method === undefined) throw new Error(`the kind ${kind} has no ${verb} method`);
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
  if (pattern.case === undefined) throw new Error("the http rule has no path");
  const method = pattern.case.toUpperCase() as HttpBinding["method"];
  return [{ method, path: pattern.value, body: rule.body }, ...rule.additionalBindings.flatMap(readBindings)];
}
