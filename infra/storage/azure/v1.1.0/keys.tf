# The storage account uses this identity to read the customer-managed key.
resource "azurerm_user_assigned_identity" "key" {
  for_each            = local.keyed
  name                = "${local.base}-key"
  location            = var.region
  resource_group_name = local.group
  tags                = merge(local.tags, { "cloudwright:part" = "key/${each.key}" })
}

# Role assignments have no tags; their description carries the ownership information instead.
resource "azurerm_role_assignment" "key" {
  for_each             = local.keyed
  scope                = var.bucket.key_id
  role_definition_name = "Key Vault Crypto Service Encryption User"
  principal_id         = azurerm_user_assigned_identity.key[each.key].principal_id
  principal_type       = "ServicePrincipal"
  description          = "cloudwright:entity=${var.owner.entity} cloudwright:part=key/${each.key}"
}
