import { createAws, createAzure, createGcp, type CloudLibrary, type CommonOptions } from "@cloudwright/clouds";

/** The resources that a run uses in a cloud, and their prices. */
export interface Target {
  readonly library: CloudLibrary;
  readonly nodeType: string;
  readonly machineType: string;
  /** Subnets of the cluster. The machine uses the first one. If empty, both use the cloud's default network. */
  readonly subnets: readonly string[];
  /** List prices in US dollars per hour. */
  readonly prices: { readonly controlPlane: number; readonly node: number; readonly machine: number };
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Cloud {
  /** Environment variables that a run requires. */
  readonly needs: readonly string[];
  readonly help: string;
  open(environment: Environment, options: CommonOptions): Target;
}

const list = (text: string | undefined): string[] => (text ?? "").split(",").filter((each) => each !== "");
const optional = <Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> =>
  value === undefined || value === "" ? {} : ({ [name]: value } as Record<Name, string>);

/** The clouds that a run can use. Credentials and locations come from the variables that the clouds' own tools read. */
export const clouds: Readonly<Record<string, Cloud>> = {
  aws: {
    needs: ["AWS_REGION", "CLOUDWRIGHT_TEST_SUBNETS"],
    help: "Credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the machine's role. CLOUDWRIGHT_TEST_SUBNETS: two subnets in different zones, with a route to the internet, separated by a comma.",
    open(environment, options) {
      const all = environment["AWS_ENDPOINT_URL"];
      const library = createAws({
        ...options,
        region: environment["AWS_REGION"] ?? "",
        ...optional("accessKeyId", environment["AWS_ACCESS_KEY_ID"]),
        ...optional("secretAccessKey", environment["AWS_SECRET_ACCESS_KEY"]),
        ...optional("sessionToken", environment["AWS_SESSION_TOKEN"]),
        ...(all === undefined ? {} : { endpoints: { all } }),
      });
      const subnets = list(environment["CLOUDWRIGHT_TEST_SUBNETS"]);
      const prices = { controlPlane: 0.1, node: 0.0208, machine: 0.0104 };
      return { library, nodeType: "t3.small", machineType: "t3.micro", subnets, prices };
    },
  },
  gcp: {
    needs: ["GOOGLE_CLOUD_PROJECT", "CLOUDSDK_COMPUTE_ZONE"],
    help: "Credentials: GOOGLE_APPLICATION_CREDENTIALS, the gcloud login, or the machine's service account. The default network is used, unless CLOUDWRIGHT_TEST_SUBNETS names a subnetwork.",
    open(environment, options) {
      const projectId = environment["GOOGLE_CLOUD_PROJECT"] ?? "";
      const library = createGcp({ ...options, projectId, zone: environment["CLOUDSDK_COMPUTE_ZONE"] ?? "" });
      const subnets = list(environment["CLOUDWRIGHT_TEST_SUBNETS"]);
      const prices = { controlPlane: 0.1, node: 0.0168, machine: 0.0084 };
      return { library, nodeType: "e2-small", machineType: "e2-micro", subnets, prices };
    },
  },
  azure: {
    needs: ["AZURE_SUBSCRIPTION_ID", "AZURE_RESOURCE_GROUP", "AZURE_LOCATION", "CLOUDWRIGHT_TEST_SUBNETS"],
    help: "Credentials: AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, a managed identity, or the Azure CLI's login. CLOUDWRIGHT_TEST_SUBNETS: the ARM ID of a subnet.",
    open(environment, options) {
      const library = createAzure({
        ...options,
        subscriptionId: environment["AZURE_SUBSCRIPTION_ID"] ?? "",
        resourceGroup: environment["AZURE_RESOURCE_GROUP"] ?? "",
        location: environment["AZURE_LOCATION"] ?? "",
        ...optional("tenantId", environment["AZURE_TENANT_ID"]),
        ...optional("clientId", environment["AZURE_CLIENT_ID"]),
        ...optional("clientSecret", environment["AZURE_CLIENT_SECRET"]),
      });
      const subnets = list(environment["CLOUDWRIGHT_TEST_SUBNETS"]);
      const prices = { controlPlane: 0, node: 0.0416, machine: 0.0104 };
      return { library, nodeType: "Standard_B2s", machineType: "Standard_B1s", subnets, prices };
    },
  },
};

const hours = { plain: 1, upgrade: 1.75 };

/** Estimates the price of a run in US dollars: one cluster with at most three nodes, and one machine. */
export function estimatePrice({ prices }: Target, upgrade: boolean): number {
  return (prices.controlPlane + 3 * prices.node + prices.machine) * (upgrade ? hours.upgrade : hours.plain);
}
