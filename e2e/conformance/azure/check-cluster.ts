import type { ArmStore, Resource } from "./arm-store.ts";
import { mayUse } from "./key-vault-types.ts";
import { refuse } from "./resource-type.ts";

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** Throws an `AzureRefusal` if AKS would reject the cluster. */
export function checkCluster(resource: Resource, previous: Resource | undefined, store: ArmStore): void {
  const { properties } = resource;
  const access = properties.apiServerAccessProfile ?? {};
  const network = properties.networkProfile ?? {};
  const [pool] = properties.agentPoolProfiles as Json[];
  const subnet = store.get(pool.vnetSubnetID ?? "");
  refuse(subnet === undefined, "VnetSubnetNotFound", `The subnet ${pool.vnetSubnetID} was not found.`);
  refuse(
    network.outboundType === "userAssignedNATGateway" && subnet?.properties.natGateway === undefined,
    "InvalidUserAssignedNATGateway",
    "The subnet has no NAT gateway.",
  );
  refuse(
    network.outboundType === "userDefinedRouting" && subnet?.properties.routeTable === undefined,
    "ExistingRouteTableNotAssociatedWithSubnet",
    "The subnet has no route table.",
  );
  refuse(
    access.enablePrivateCluster === true && (access.authorizedIPRanges?.length ?? 0) > 0,
    "InvalidParameter",
    "Private clusters have no authorised ranges.",
  );
  refuse(
    access.subnetId !== undefined && access.enableVnetIntegration !== true,
    "InvalidParameter",
    "A subnet requires VNet integration.",
  );
  refuse(
    network.networkPluginMode === "overlay" && pool.podSubnetID !== undefined,
    "InvalidParameter",
    "Overlay networks have no pod subnet.",
  );
  refuse(
    properties.supportPlan === "AKSLongTermSupport" && resource["sku"]?.tier !== "Premium",
    "InvalidParameter",
    "Long-term support requires the premium tier.",
  );
  refuse(
    properties.disableLocalAccounts === true && properties.aadProfile === undefined,
    "InvalidParameter",
    "Without local accounts a cluster needs Entra ID.",
  );
  const interval = properties.securityProfile?.imageCleaner?.intervalHours ?? 24;
  refuse(
    interval < 24 || interval > 2160,
    "InvalidParameter",
    `ImageCleaner intervalHours ${interval} is out of range [24 - 2160].`,
  );
  const kms = properties.securityProfile?.azureKeyVaultKms;
  if (kms?.enabled === true) {
    const [, vaultName = ""] = /^https:\/\/([^.]+)\./.exec(kms.keyId) ?? [];
    const vault = store.list("microsoft.keyvault/vaults").find(({ name }) => name === vaultName);
    refuse(vault === undefined, "AzureKeyVaultKmsValidateIdentityError", `The vault ${vaultName} was not found.`);
    const [identity = ""] = Object.keys(resource["identity"]?.userAssignedIdentities ?? {});
    const principal = store.get(identity)?.properties.principalId as string;
    const hasRole = store
      .list("microsoft.authorization/roleassignments")
      .some(({ properties: role }) => role.principalId === principal && role.scope.toLowerCase() === vault?.id.toLowerCase());
    const hasPolicy =
      vault !== undefined && ["Get", "Encrypt", "Decrypt"].every((operation) => mayUse(vault, principal, operation));
    const isGiven = vault?.properties.enableRbacAuthorization === true;
    refuse(!(isGiven ? hasRole : hasPolicy), "AzureKeyVaultKmsValidateIdentityError", "The identity may not use the key.");
  }
  if (previous !== undefined) {
    const before = previous.properties.networkProfile;
    for (const key of ["networkPlugin", "podCidr", "serviceCidr", "dnsServiceIP"]) {
      refuse(
        before[key] !== network[key] && network[key] !== undefined,
        "PropertyChangeNotAllowed",
        `networkProfile.${key} cannot be changed.`,
      );
    }
  }
}
