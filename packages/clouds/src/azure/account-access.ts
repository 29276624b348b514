import { Fault } from "@cloudwright/platform/fault";
import { Secret } from "@cloudwright/platform/secret";
import { cloudsFaults } from "../faults.ts";
import type { AzureToken } from "./azure-token.ts";

/** How to authenticate to Azure. */
export type AzureLogin =
  | { readonly by: "secret"; readonly application: Application; readonly clientSecret: Secret }
  | { readonly by: "certificate"; readonly application: Application; readonly pem: Secret }
  | { readonly by: "federation"; readonly application: Application }
  | { readonly by: "managedIdentity"; readonly clientId?: string }
  | { readonly by: "token"; readonly get: (scope: string) => Promise<AzureToken> }
  | { readonly by: "agent" };

/** An application in Microsoft Entra ID. */
export interface Application {
  readonly tenantId: string;
  readonly clientId: string;
}

/** The access settings of an account. */
export interface AzureAccess {
  readonly login: AzureLogin;
  /** Subscription to work in. If absent, the credentials must have access to exactly one. */
  readonly subscriptionId?: string;
  /** Tenant that the credentials must belong to. If absent, any tenant is accepted. */
  readonly tenantId?: string;
  /** Resource group to which the permissions of the credentials are limited. */
  readonly resourceGroup?: string;
}

/** Reads the access settings from an account's spec, including its secrets. Throws if the spec contains no credentials. */
export function readAzureAccess(account: string, spec: Secret<Readonly<Record<string, unknown>>>): AzureAccess {
  const { azure = {} } = spec.reveal() as { readonly azure?: Readonly<Record<string, unknown>> };
  const text = (name: string): string => (typeof azure[name] === "string" ? azure[name] : "");
  const [subscriptionId, tenantId, resourceGroup] = ["subscriptionId", "tenantId", "resourceGroup"].map(text);
  return {
    login: findLogin(account, text, azure),
    ...(subscriptionId ? { subscriptionId } : {}),
    ...(tenantId ? { tenantId } : {}),
    ...(resourceGroup ? { resourceGroup } : {}),
  };
}

function findLogin(
  account: string,
  text: (name: string) => string,
  { agentCredentials, managedIdentity, federatedToken }: Readonly<Record<string, unknown>>,
): AzureLogin {
  const [tenantId, clientId] = [text("tenantId"), text("clientId")];
  if (agentCredentials === true) return { by: "agent" };
  if (managedIdentity === true) return { by: "managedIdentity", ...(clientId === "" ? {} : { clientId }) };
  const [clientSecret, pem] = [text("clientSecret"), text("clientCertificate")];
  if (federatedToken !== true && clientSecret === "" && pem === "") {
    const message = `account "${account}" has no client secret, client certificate, federated token or managed identity, and does not use the agent's credentials`;
    throw new Fault(cloudsFaults.no_credentials, message);
  }
  if (tenantId === "" || clientId === "") {
    const message = `account "${account}" has an application's credentials, but lacks its tenantId or clientId`;
    throw new Fault(cloudsFaults.no_credentials, message);
  }
  const application = { tenantId, clientId };
  if (federatedToken === true) return { by: "federation", application };
  if (pem !== "") return { by: "certificate", application, pem: new Secret(pem) };
  return { by: "secret", application, clientSecret: new Secret(clientSecret) };
}
