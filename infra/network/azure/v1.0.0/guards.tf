# Azure's default rules allow incoming traffic only from within the network and from Azure's load balancers. Public load balancers keep the
# client's address, so the traffic that they forward needs a rule. AKS adds another security group to the nodes, which allows only the ports
# of Services.
locals {
  protocols = { all = "*", tcp = "Tcp", udp = "Udp", icmp = "Icmp" }
  base_rules = {
    deny-management = { priority = 4095, direction = "in", action = "deny", protocol = "tcp", ports = ["22", "3389"], source = "Internet", destination = "*" }
    load-balancers  = { priority = 4096, direction = "in", action = "allow", protocol = "all", ports = ["*"], source = "Internet", destination = "*" }
  }
  user_rules = { for rule in var.security_rules : rule.name => {
    priority    = rule.priority
    direction   = rule.direction
    action      = rule.action
    protocol    = rule.protocol
    ports       = [rule.to_port == 0 ? "*" : (rule.from_port == rule.to_port ? tostring(rule.to_port) : "${rule.from_port}-${rule.to_port}")]
    source      = rule.direction == "in" ? rule.cidr : "*"
    destination = rule.direction == "in" ? "*" : rule.cidr
  } }
  rules = { for name, rule in merge(local.base_rules, local.user_rules) : name => rule if var.vnet_id == null }
}

resource "azurerm_network_security_group" "nodes" {
  for_each            = local.made
  name                = "${local.base}-nodes"
  location            = var.region
  resource_group_name = local.group
  tags                = merge(local.tags, { "cloudwright:part" = "nodes/${each.key}" })
}

# Rules are separate resources, so that rules added by others are kept.
resource "azurerm_network_security_rule" "nodes" {
  for_each                    = local.rules
  name                        = each.key
  resource_group_name         = local.group
  network_security_group_name = azurerm_network_security_group.nodes["network"].name
  priority                    = each.value.priority
  direction                   = each.value.direction == "in" ? "Inbound" : "Outbound"
  access                      = each.value.action == "allow" ? "Allow" : "Deny"
  protocol                    = local.protocols[each.value.protocol]
  source_port_range           = "*"
  destination_port_range      = length(each.value.ports) == 1 ? each.value.ports[0] : null
  destination_port_ranges     = length(each.value.ports) == 1 ? null : each.value.ports
  source_address_prefix       = each.value.source
  destination_address_prefix  = each.value.destination
}

resource "azurerm_subnet_network_security_group_association" "this" {
  for_each                  = local.worker_roles
  subnet_id                 = azurerm_subnet.this[each.key].id
  network_security_group_id = azurerm_network_security_group.nodes["network"].id
  # A group without these rules would block the traffic of load balancers.
  depends_on = [azurerm_network_security_rule.nodes]
}
