/**
 * The parts of Azure's API models that this package reads, under the names that Azure uses. A test compares the models of Compute and AKS
 * with Azure's. Every field is optional, because Azure omits empty fields.
 */
type Tags = Readonly<Record<string, string>>;

export interface Subscription {
  readonly subscriptionId?: string;
  readonly displayName?: string;
  readonly state?: string;
}

export interface Location {
  readonly name?: string;
  readonly availabilityZoneMappings?: readonly AvailabilityZoneMappings[];
}

export interface AvailabilityZoneMappings {
  readonly logicalZone?: string;
}

export interface Provider {
  readonly namespace?: string;
  readonly registrationState?: string;
}

export interface Permission {
  readonly actions?: readonly string[];
  readonly notActions?: readonly string[];
  readonly dataActions?: readonly string[];
  readonly notDataActions?: readonly string[];
}

export interface GenericResource {
  readonly id?: string;
  readonly type?: string;
  readonly location?: string;
  readonly managedBy?: string;
  readonly tags?: Tags;
}

export interface ResourceGroup {
  readonly id?: string;
  readonly name?: string;
  readonly managedBy?: string;
  readonly tags?: Tags;
}

export interface VirtualNetwork {
  readonly id?: string;
  readonly location?: string;
  readonly tags?: Tags;
  readonly properties?: VirtualNetworkPropertiesFormat;
}

export interface VirtualNetworkPropertiesFormat {
  readonly addressSpace?: AddressSpace;
  readonly subnets?: readonly Subnet[];
}

export interface AddressSpace {
  readonly addressPrefixes?: readonly string[];
}

export interface Subnet {
  readonly id?: string;
  readonly properties?: SubnetPropertiesFormat;
}

export interface SubnetPropertiesFormat {
  readonly networkSecurityGroup?: SubResource;
  readonly routeTable?: SubResource;
  readonly natGateway?: SubResource;
}

export interface SubResource {
  readonly id?: string;
}

/** A key in a vault. `keyUriWithVersion` is set only in the response for a single key, not in lists. */
export interface VaultKey {
  readonly id?: string;
  readonly tags?: Tags;
  readonly properties?: VaultKeyProperties;
}

export interface VaultKeyProperties {
  readonly keyUriWithVersion?: string;
}

export interface BlobContainer {
  readonly id?: string;
  readonly properties?: BlobContainerProperties;
}

export interface BlobContainerProperties {
  readonly hasImmutabilityPolicy?: boolean;
}

export interface NetworkSecurityGroup {
  readonly properties?: NetworkSecurityGroupPropertiesFormat;
}

export interface NetworkSecurityGroupPropertiesFormat {
  readonly securityRules?: readonly SubResource[];
}

export interface RouteTable {
  readonly properties?: RouteTablePropertiesFormat;
}

export interface RouteTablePropertiesFormat {
  readonly routes?: readonly Route[];
}

export interface Route {
  readonly id?: string;
  readonly properties?: RoutePropertiesFormat;
}

export interface RoutePropertiesFormat {
  readonly addressPrefix?: string;
}

export interface PublicIPAddress {
  readonly id?: string;
  readonly location?: string;
  readonly tags?: Tags;
  readonly properties?: PublicIPAddressPropertiesFormat;
}

export interface PublicIPAddressPropertiesFormat {
  readonly ipAddress?: string;
  readonly provisioningState?: string;
}

export interface NetworkInterface {
  readonly id?: string;
  readonly tags?: Tags;
  readonly properties?: NetworkInterfacePropertiesFormat;
}

export interface NetworkInterfacePropertiesFormat {
  readonly ipConfigurations?: readonly NetworkInterfaceIPConfiguration[];
  readonly provisioningState?: string;
}

export interface NetworkInterfaceIPConfiguration {
  readonly properties?: NetworkInterfaceIPConfigurationPropertiesFormat;
}

export interface NetworkInterfaceIPConfigurationPropertiesFormat {
  readonly privateIPAddress?: string;
  readonly publicIPAddress?: SubResource;
}

export interface NatGateway {
  readonly id?: string;
  readonly location?: string;
  readonly zones?: readonly string[];
  readonly tags?: Tags;
  readonly properties?: NatGatewayPropertiesFormat;
}

export interface NatGatewayPropertiesFormat {
  readonly publicIpAddresses?: readonly SubResource[];
}

export interface Usage {
  readonly currentValue?: number;
  readonly limit?: number;
  readonly name?: UsageName;
}

export interface UsageName {
  readonly value?: string;
  readonly localizedValue?: string;
}

export interface ResourceSku {
  readonly resourceType?: string;
  readonly name?: string;
  readonly family?: string;
  readonly locationInfo?: readonly ResourceSkuLocationInfo[];
  readonly capabilities?: readonly ResourceSkuCapabilities[];
  readonly restrictions?: readonly ResourceSkuRestrictions[];
}

export interface ResourceSkuLocationInfo {
  readonly location?: string;
  readonly zones?: readonly string[];
}

export interface ResourceSkuCapabilities {
  readonly name?: string;
  readonly value?: string;
}

export interface ResourceSkuRestrictions {
  readonly type?: string;
  readonly restrictionInfo?: ResourceSkuRestrictionInfo;
}

export interface ResourceSkuRestrictionInfo {
  readonly zones?: readonly string[];
}

export interface Disk {
  readonly id?: string;
  readonly location?: string;
  readonly managedBy?: string;
  readonly tags?: Tags;
}

export interface KubernetesVersionListResult {
  readonly values?: readonly KubernetesVersion[];
}

export interface KubernetesVersion {
  readonly version?: string;
  readonly isDefault?: boolean;
  readonly isPreview?: boolean;
  readonly capabilities?: KubernetesVersionCapabilities;
  /** Patch versions, keyed by full version number, such as `1.34.2`. */
  readonly patchVersions?: Readonly<Record<string, object>>;
}

export interface KubernetesVersionCapabilities {
  readonly supportPlan?: readonly string[];
}

export interface ManagedCluster {
  readonly id?: string;
  readonly name?: string;
  readonly location?: string;
  readonly tags?: Tags;
  readonly eTag?: string;
  readonly systemData?: SystemData;
  readonly properties?: ManagedClusterProperties;
}

export interface SystemData {
  readonly createdAt?: string;
}

export interface ManagedClusterProperties {
  readonly provisioningState?: string;
  readonly powerState?: PowerState;
  readonly status?: ManagedClusterStatus;
  readonly kubernetesVersion?: string;
  readonly currentKubernetesVersion?: string;
  readonly fqdn?: string;
  readonly privateFQDN?: string;
  readonly nodeResourceGroup?: string;
  readonly agentPoolProfiles?: readonly ManagedClusterAgentPoolProfile[];
}

export interface PowerState {
  readonly code?: string;
}

export interface ManagedClusterStatus {
  readonly provisioningError?: ErrorDetail;
}

export interface AgentPoolStatus {
  readonly provisioningError?: ErrorDetail;
}

export interface ErrorDetail {
  readonly code?: string;
  readonly message?: string;
}

export type ManagedClusterAgentPoolProfile = ManagedClusterAgentPoolProfileProperties & { readonly name?: string };

export interface AgentPool {
  readonly id?: string;
  readonly name?: string;
  readonly properties?: ManagedClusterAgentPoolProfileProperties;
}

export interface ManagedClusterAgentPoolProfileProperties {
  readonly eTag?: string;
  readonly mode?: string;
  readonly provisioningState?: string;
  readonly powerState?: PowerState;
  readonly status?: AgentPoolStatus;
  readonly count?: number;
  readonly minCount?: number;
  readonly maxCount?: number;
  readonly enableAutoScaling?: boolean;
  readonly vmSize?: string;
  readonly scaleSetPriority?: string;
  readonly orchestratorVersion?: string;
  readonly currentOrchestratorVersion?: string;
  readonly availabilityZones?: readonly string[];
  readonly vnetSubnetID?: string;
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly tags?: Tags;
}

export interface CredentialResults {
  readonly kubeconfigs?: readonly CredentialResult[];
}

export interface CredentialResult {
  readonly name?: string;
  readonly value?: string;
}

export interface RoleAssignment {
  readonly id?: string;
  readonly properties?: RoleAssignmentProperties;
}

export interface RoleAssignmentProperties {
  readonly scope?: string;
  readonly principalId?: string;
  readonly roleDefinitionId?: string;
  readonly description?: string;
}

export interface StorageAccount {
  readonly id?: string;
  readonly name?: string;
  readonly tags?: Tags;
}

export interface CheckNameAvailabilityResult {
  readonly nameAvailable?: boolean;
  readonly reason?: string;
}

export interface EventData {
  readonly caller?: string;
  readonly claims?: Readonly<Record<string, string>>;
  readonly eventTimestamp?: string;
  readonly operationName?: LocalizableString;
  readonly status?: LocalizableString;
}

export interface LocalizableString {
  readonly value?: string;
}
