import { getOption, hasOption, type DescMethod, type DescService } from "@bufbuild/protobuf";
import { access } from "../gen/cloudwright/v1/options_pb.ts";
import { AccountService } from "../gen/cloudwright/v1/account_pb.ts";
import { AgentService } from "../gen/cloudwright/v1/agent_pb.ts";
import { ApiKeyService } from "../gen/cloudwright/v1/api_key_pb.ts";
import { AuditService } from "../gen/cloudwright/v1/audit_record_pb.ts";
import { ClusterService } from "../gen/cloudwright/v1/cluster_pb.ts";
import { DriftService } from "../gen/cloudwright/v1/drift_pb.ts";
import { EnvironmentService } from "../gen/cloudwright/v1/environment_pb.ts";
import { EventService } from "../gen/cloudwright/v1/event_pb.ts";
import { IdentityService } from "../gen/cloudwright/v1/identity_pb.ts";
import { NetworkService } from "../gen/cloudwright/v1/network_pb.ts";
import { NodePoolService } from "../gen/cloudwright/v1/node_pool_pb.ts";
import { OperationService } from "../gen/cloudwright/v1/operation_pb.ts";
import { ProjectService } from "../gen/cloudwright/v1/project_pb.ts";
import { RoleBindingService } from "../gen/cloudwright/v1/role_binding_pb.ts";
import { RunService } from "../gen/cloudwright/v1/run_pb.ts";
import { SimulatorService } from "../gen/cloudwright/v1/simulator_pb.ts";
import { StateService } from "../gen/cloudwright/v1/state_pb.ts";
import { StorageService } from "../gen/cloudwright/v1/storage_pb.ts";
import { TaskService } from "../gen/cloudwright/v1/task_pb.ts";
import { UserService } from "../gen/cloudwright/v1/user_pb.ts";
import { WatchService } from "../gen/cloudwright/v1/watch_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";
import type { Role } from "./kinds.ts";

/** Every service of the API. */
export const services: readonly DescService[] = [
  AccountService,
  AgentService,
  ApiKeyService,
  AuditService,
  ClusterService,
  DriftService,
  EnvironmentService,
  EventService,
  IdentityService,
  NetworkService,
  NodePoolService,
  OperationService,
  ProjectService,
  RoleBindingService,
  RunService,
  SimulatorService,
  StateService,
  StorageService,
  TaskService,
  UserService,
  WatchService,
];

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
