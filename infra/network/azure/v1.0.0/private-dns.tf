# Private DNS zone for the API servers of private clusters. The first label makes the zone's name unique within a resource group.
locals {
  zoned = toset(var.private_dns ? local.made : [])
}

resource "azurerm_private_dns_zone" "api_server" {
  for_each            = local.zoned
  name                = "${local.short}.privatelink.${var.region}.azmk8s.io"
  resource_group_name = local.group
  tags                = merge(local.tags, { "cloudwright:part" = "api_server/${each.key}" })
}

resource "azurerm_private_dns_zone_virtual_network_link" "api_server" {
  for_each            = local.zoned
  name                = local.base
  private_dns_zone_id = azurerm_private_dns_zone.api_server[each.key].id
  virtual_network_id  = azurerm_virtual_network.this[each.key].id
  tags                = merge(local.tags, { "cloudwright:part" = "api_server/${each.key}" })
}
