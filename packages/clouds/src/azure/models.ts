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
  readonly routes?: readonly SubResource[];
}

export interface PublicIPAddress {
  readonly id?: string;
  readonly location?: string;
  readonly tags?: Tags;
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
  readonly isPreview?: boolean;
}

export interface ManagedCluster {
  readonly id?: string;
  readonly name?: string;
  readonly location?: string;
  readonly tags?: Tags;
  readonly properties?: ManagedClusterProperties;
}

export interface ManagedClusterProperties {
  readonly fqdn?: string;
  readonly privateFQDN?: string;
  readonly nodeResourceGroup?: string;
  readonly agentPoolProfiles?: readonly ManagedClusterAgentPoolProfile[];
}

export interface ManagedClusterAgentPoolProfile {
  readonly count?: number;
  readonly vmSize?: string;
  readonly scaleSetPriority?: string;
}

export interface AgentPool {
  readonly id?: string;
  readonly name?: string;
  readonly properties?: ManagedClusterAgentPoolProfileProperties;
}

export interface ManagedClusterAgentPoolProfileProperties {
  readonly count?: number;
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
