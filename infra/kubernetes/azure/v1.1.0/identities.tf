# The control plane and the nodes each have their own identity with only the roles they need. The nodes' identity can only pull images from
# the given registries.
locals {
  made_identities = toset([for use in ["cluster", "kubelet"] : use if var.identities[use] == null])
  identities = merge(
    { for use, identity in azurerm_user_assigned_identity.this : use => identity },
    { for use, identity in data.azurerm_user_assigned_identity.given : use => identity },
  )
  cluster_principal = try(local.identities["cluster"].principal_id, null)

  # Azure rejects duplicate role assignments, so an identity that the user provides must already have these roles.
  cluster_roles = var.identities.cluster != null ? {} : { for use, grant in {
    nodes      = { scope = var.node_subnet_id, role = "Network Contributor" }
    pods       = { scope = var.pod_subnet_id, role = "Network Contributor" }
    api-server = { scope = var.api_server_subnet_id, role = "Network Contributor" }
    dns        = { scope = local.uses_dns_zone ? var.private_dns_zone_id : null, role = "Private DNS Zone Contributor" }
    vault      = { scope = var.kms_key.vault_id, role = "Key Vault Crypto User" }
    disks      = { scope = var.disk_encryption_set_id, role = "Reader" }
  } : use => grant if grant.scope != null }
  # Access with the policies admin, edit and view can be limited to namespaces.
  access_roles = {
    cluster-admin = "Azure Kubernetes Service RBAC Cluster Admin"
    admin         = "Azure Kubernetes Service RBAC Admin"
    edit          = "Azure Kubernetes Service RBAC Writer"
    view          = "Azure Kubernetes Service RBAC Reader"
  }
  access = { for grant in flatten([for entry in var.access_entries : [
    for namespace in length(entry.namespaces) > 0 ? entry.namespaces : ["*"] : { principal = entry.principal_id, policy = entry.policy, namespace = namespace }
  ]]) : "${grant.principal}/${grant.policy}/${grant.namespace}" => grant }
  described = "cloudwright:entity=${var.owner.entity} cloudwright:part="
}

data "azurerm_user_assigned_identity" "given" {
  for_each            = { for use in ["cluster", "kubelet"] : use => split("/", var.identities[use]) if var.identities[use] != null }
  name                = each.value[8]
  resource_group_name = each.value[4]
}

resource "azurerm_user_assigned_identity" "this" {
  for_each            = local.made_identities
  name                = "${local.name}-${each.key}"
  location            = var.region
  resource_group_name = local.group_name
  tags                = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}

resource "azurerm_role_assignment" "cluster" {
  for_each             = local.cluster_roles
  scope                = each.value.scope
  role_definition_name = each.value.role
  principal_id         = local.cluster_principal
  principal_type       = "ServicePrincipal"
  description          = "${local.described}cluster/${each.key}"
}

# Lets the control plane assign the nodes' identity to their VMs.
resource "azurerm_role_assignment" "kubelet" {
  for_each             = toset(var.identities.cluster == null ? ["operator"] : [])
  scope                = local.identities["kubelet"].id
  role_definition_name = "Managed Identity Operator"
  principal_id         = local.cluster_principal
  principal_type       = "ServicePrincipal"
  description          = "${local.described}kubelet/${each.key}"
}

resource "azurerm_role_assignment" "registry" {
  for_each             = var.container_registry_ids
  scope                = each.key
  role_definition_name = "AcrPull"
  principal_id         = local.identities["kubelet"].principal_id
  principal_type       = "ServicePrincipal"
  description          = "${local.described}registry/${each.key}"
}

# In clusters with Entra ID, the platform itself needs a role to install add-ons.
resource "azurerm_role_assignment" "creator" {
  for_each             = toset(var.entra == null ? [] : ["admin"])
  scope                = azurerm_kubernetes_cluster.this.id
  role_definition_name = local.access_roles["cluster-admin"]
  principal_id         = data.azurerm_client_config.this.object_id
  description          = "${local.described}creator/${each.key}"
}

resource "azurerm_role_assignment" "access" {
  for_each             = local.access
  scope                = "${azurerm_kubernetes_cluster.this.id}${each.value.namespace == "*" ? "" : "/namespaces/${each.value.namespace}"}"
  role_definition_name = local.access_roles[each.value.policy]
  principal_id         = each.value.principal
  description          = "${local.described}access/${each.key}"
}
