import type { ServerHttp2Session } from "node:http2";
import { systemClock, type Clock } from "@cloudwright/platform";
import { defaultConditions, type Conditions } from "../cloud/conditions.ts";
import { createLag } from "../cloud/lag.ts";
import { createThrottle } from "../cloud/throttle.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { createMemoryFaults } from "../simulated-faults/memory-faults.ts";
import type { SimulatedFaults } from "../simulated-faults/simulated-fault.ts";
import { encodeProviderSchema } from "../schema/encode-schema.ts";
import type { GrpcMethod, GrpcService } from "../wire/grpc-server.ts";
import * as messages from "../wire/plugin-messages.ts";
import { applyResource } from "./answer-apply.ts";
import { configureProvider, validateDataSource, validateProvider, validateResource } from "./answer-configuration.ts";
import { readDataSource } from "./answer-data.ts";
import { planResource } from "./answer-plan.ts";
import { importResource, readResource, upgradeState } from "./answer-read.ts";
import type { ProviderDefinition } from "./definition.ts";
import { ReplyInstead } from "./run-work.ts";
import type { ProviderHost, Scope, Session } from "./scope.ts";

export interface ProviderOptions {
  readonly definition: ProviderDefinition;
  /** The tenant that owns the simulated cloud. Terraform cannot select another one. */
  readonly tenant: string;
  readonly inventory: Inventory;
  readonly faults?: SimulatedFaults;
  readonly clock?: Clock;
  /** Conditions for tenants that have not set their own. */
  readonly conditions?: Conditions;
}

interface Host {
  /** Creates the host of a connection. A simulated crash ends the whole process, or only the connection if the process is shared. */
  readonly createHost: (session: ServerHttp2Session) => ProviderHost;
  /** Called when Terraform asks the plug-in to shut down. */
  readonly onShutdown: () => void;
}

const answers: Readonly<Record<string, (scope: Scope, request: Buffer) => Promise<Buffer>>> = {
  ValidateProviderConfig: validateProvider,
  ValidateResourceConfig: validateResource,
  ValidateDataResourceConfig: validateDataSource,
  UpgradeResourceState: upgradeState,
  ConfigureProvider: configureProvider,
  ReadResource: readResource,
  PlanResourceChange: planResource,
  ApplyResourceChange: applyResource,
  ImportResourceState: importResource,
  ReadDataSource: readDataSource,
};

/** Creates the gRPC service of a provider. Configuration and stop requests belong to a connection, not to the whole process. */
export function createProviderService(options: ProviderOptions, { createHost, onShutdown }: Host): GrpcService {
  const {
    definition,
    tenant,
    inventory,
    faults = createMemoryFaults(),
    clock = systemClock,
    conditions: standard = defaultConditions,
  } = options;
  const throttle = createThrottle({ clock });
  const lag = createLag({ clock });
  const sessions = new WeakMap<ServerHttp2Session, Session>();

  function sessionOf(connection: ServerHttp2Session): Session {
    const known = sessions.get(connection);
    if (known !== undefined) return known;
    const session: Session = { config: {}, stop: new AbortController() };
    sessions.set(connection, session);
    // A killed Terraform sends no stop request, so operations in progress are cancelled when the connection closes.
    connection.on("close", () => session.stop.abort());
    return session;
  }

  const methods = new Map<string, GrpcMethod>();
  for (const [name, answer] of Object.entries(answers)) {
    methods.set(`/tfplugin6.Provider/${name}`, async (request, connection) => {
      const session = sessionOf(connection);
      const host = createHost(connection);
      const scope: Scope = { definition, tenant, inventory, faults, clock, session, host, standard, throttle, lag };
      try {
        return await answer(scope, request);
      } catch (error) {
        if (error instanceof ReplyInstead) return error.reply;
        throw error;
      }
    });
  }
  methods.set("/tfplugin6.Provider/GetProviderSchema", async () => encodeProviderSchema(definition.schema));
  methods.set("/tfplugin6.Provider/GetMetadata", async () =>
    messages.getMetadata.response.encode({
      server_capabilities: { get_provider_schema_optional: true },
      data_sources: Object.keys(definition.schema.dataSources).map((type_name) => ({ type_name })),
      resources: Object.keys(definition.schema.resources).map((type_name) => ({ type_name })),
    }),
  );
  methods.set("/tfplugin6.Provider/StopProvider", async (_request, connection) => {
    sessionOf(connection).stop.abort();
    return messages.stopProvider.response.encode({});
  });
  methods.set("/plugin.GRPCController/Shutdown", async () => {
    onShutdown();
    return Buffer.alloc(0);
  });
  methods.set("/grpc.health.v1.Health/Check", async () => Buffer.from([0x08, 1]));
  return { methods, silent: new Set(["/plugin.GRPCStdio/StreamStdio", "/plugin.GRPCBroker/StartStream"]) };
}
