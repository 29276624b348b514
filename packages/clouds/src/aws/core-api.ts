import type { EC2Client } from "@aws-sdk/client-ec2";
import type { EKSClient } from "@aws-sdk/client-eks";
import type { IAMClient } from "@aws-sdk/client-iam";
import type { STSClient } from "@aws-sdk/client-sts";
import type { Fault } from "@cloudwright/platform/fault";
import { revealed, type CredentialSource } from "./credentials.ts";
import { endpointFor, type AwsEndpoints } from "./endpoints.ts";
import { toCloudFault } from "./refusals.ts";

/** The clients that clusters and instances need. Each client is loaded and created on first use. */
export interface CoreClients {
  sts(): Promise<STSClient>;
  ec2(): Promise<EC2Client>;
  eks(): Promise<EKSClient>;
  iam(): Promise<IAMClient>;
}

/** Calls AWS in one region of an account. */
export interface RegionApi<Clients> {
  readonly region: string;
  /** Runs `send` and converts errors to faults. `doing` completes the message "AWS could not ...". */
  call<Answer>(doing: string, send: (clients: Clients) => Promise<Answer>): Promise<Answer>;
  close(): void;
}

/** Settings for one region's API. */
export interface AwsApiOptions {
  readonly region: string;
  readonly endpoints: AwsEndpoints;
  /** Additional settings for every SDK client. */
  readonly settings?: object;
  /** Called with each new client and the name of its service, for example to add middleware. */
  readonly prepare?: (service: string, client: object) => void;
  /** Converts SDK errors to faults. `doing` completes the message "AWS could not ...". */
  readonly toFault?: (error: unknown, doing: string) => Fault;
}

/** Returns a function that creates a service's client on the first call. Services are named as in `endpointFor`. */
export type MakeOnce = <Client extends { destroy(): void }>(
  service: string,
  make: (common: object) => Promise<Client>,
) => () => Promise<Client>;

export function createCoreClients(once: MakeOnce): CoreClients {
  return {
    sts: once("sts", async (common) => new (await import("@aws-sdk/client-sts")).STSClient(common)),
    ec2: once("ec2", async (common) => new (await import("@aws-sdk/client-ec2")).EC2Client(common)),
    eks: once("eks", async (common) => new (await import("@aws-sdk/client-eks")).EKSClient(common)),
    iam: once("iam", async (common) => new (await import("@aws-sdk/client-iam")).IAMClient(common)),
  };
}

/** Creates the API for one region of an account with a set of clients. The SDK is loaded on the first call. */
export function createRegionApi<Clients>(
  source: CredentialSource,
  options: AwsApiOptions,
  createClients: (once: MakeOnce) => Clients,
): RegionApi<Clients> {
  const { region, endpoints, settings = {}, prepare, toFault = toCloudFault } = options;
  const made: { destroy(): void }[] = [];
  const clients = createClients((service, make) => {
    let client: ReturnType<typeof make> | undefined;
    return () =>
      (client ??= (async () => {
        const endpoint = endpointFor(endpoints, service);
        const credentials = async () => revealed(await source.get());
        const place = endpoint === undefined ? {} : { endpoint };
        const built = await make({ region, credentials, maxAttempts: 4, ...place, ...settings });
        prepare?.(service, built);
        made.push(built);
        return built;
      })());
  });
  return {
    region,
    async call(doing, send) {
      try {
        return await send(clients);
      } catch (error) {
        throw toFault(error, doing);
      }
    },
    close() {
      for (const client of made) client.destroy();
    },
  };
}
