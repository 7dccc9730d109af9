#include "sql/ast_access.h"
#include "sql/ast_alter.h"

// visit_fields() of the nodes of queries and statements.

namespace basalt
{

namespace
{

void visit(FieldVisitor& visitor, SettingChange& change)
{
    visitor.text("name", change.name);
    visitor.number("is_default", change.is_default);
    visitor.child("value", change.value);
}

void visit(FieldVisitor& visitor, ProfileElement& element)
{
    visitor.text("profile", element.profile);
    visitor.text("name", element.name);
    visitor.child("value", element.value);
    visitor.child("min", element.min);
    visitor.child("max", element.max);
    visitor.text("writability", element.writability);
}

void visit(FieldVisitor& visitor, HostRule& rule)
{
    visitor.text("kind", rule.kind);
    visitor.text("value", rule.value);
}

void visit(FieldVisitor& visitor, RenamePair& pair)
{
    pair.from.visit_fields(visitor);
    pair.to.visit_fields(visitor);
}

void visit(FieldVisitor& visitor, AstTableName& name)
{
    name.visit_fields(visitor);
}

void visit(FieldVisitor& visitor, BackupElement& element);
void visit(FieldVisitor& visitor, AuthenticationMethod& method);
void visit(FieldVisitor& visitor, QuotaLimits& limits);
void visit(FieldVisitor& visitor, AccessElement& element);

template <class T>
void visit_list(FieldVisitor& visitor, const char* name, std::vector<T>& list)
{
    visitor.number(name, static_cast<int64_t>(list.size()));
    for (T& one : list)
        visit(visitor, one);
}

void visit(FieldVisitor& visitor, BackupElement& element)
{
    visitor.choice("element", element.element);
    element.name.visit_fields(visitor);
    element.new_name.visit_fields(visitor);
    visitor.children("partitions", element.partitions);
    visit_list(visitor, "except_tables", element.except_tables);
    visitor.texts("except_databases", element.except_databases);
}

void visit(FieldVisitor& visitor, AuthenticationMethod& method)
{
    visitor.text("type", method.type);
    visitor.texts("argument_words", method.argument_words);
    visitor.children("arguments", method.arguments);
    visitor.child("valid_until", method.valid_until);
}

void visit(FieldVisitor& visitor, QuotaLimits& limits)
{
    visitor.number("randomized", limits.randomized);
    visitor.child("duration", limits.duration);
    visitor.text("unit", limits.unit);
    visitor.number("no_limits", limits.no_limits);
    visitor.number("tracking_only", limits.tracking_only);
    visitor.number("limits", static_cast<int64_t>(limits.limits.size()));
    for (auto& [name, value] : limits.limits)
    {
        visitor.text("name", name);
        visitor.child("value", value);
    }
}

void visit(FieldVisitor& visitor, AccessElement& element)
{
    visitor.texts("privileges", element.privileges);
    for (std::vector<std::string>& columns : element.columns)
        visitor.texts("columns", columns);
    visitor.number("any_database", element.any_database);
    visitor.number("any_table", element.any_table);
    visitor.text("database", element.database);
    visitor.text("table", element.table);
    visitor.number("wildcard", element.wildcard);
}

} // namespace

void AstTableName::visit_fields(FieldVisitor& visitor)
{
    visitor.text("database", database);
    visitor.child("database_parameter", database_parameter);
    visitor.text("table", table);
    visitor.child("table_parameter", table_parameter);
}

void RoleSet::visit_fields(FieldVisitor& visitor)
{
    visitor.number("all", all);
    visitor.number("none", none);
    visitor.number("any", any);
    visitor.number("current_user", current_user);
    visitor.texts("names", names);
    visitor.number("except_current_user", except_current_user);
    visitor.texts("except_names", except_names);
}

void ProfileChanges::visit_fields(FieldVisitor& visitor)
{
    visitor.number("present", present);
    visitor.number("replace", replace);
    visitor.number("drop_all_settings", drop_all_settings);
    visitor.number("drop_all_profiles", drop_all_profiles);
    visitor.texts("drop_settings", drop_settings);
    visitor.texts("drop_profiles", drop_profiles);
    visit_list(visitor, "elements", elements);
    visit_list(visitor, "modified", modified);
}


void AstWithElement::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.texts("columns", columns);
    visitor.child("subquery", subquery);
    visitor.number("materialized", materialized);
}

void AstTableElement::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("join", join);
    visitor.choice("strictness", strictness);
    visitor.choice("locality", locality);
    visitor.number("natural", natural);
    visitor.child("table", table);
    visitor.texts("column_aliases", column_aliases);
    visitor.number("is_final", is_final);
    visitor.child("sample", sample);
    visitor.child("sample_offset", sample_offset);
    visitor.child("on", on);
    visitor.children("using_columns", using_columns);
    visitor.number("has_using", has_using);
    visitor.number("using_in_parentheses", using_in_parentheses);
    visitor.children("array_join", array_join);
}

void AstOrderByElement::visit_fields(FieldVisitor& visitor)
{
    visitor.child("expression", expression);
    visitor.number("descending", descending);
    visitor.number("nulls_first", nulls_first);
    visitor.number("explicit_nulls", explicit_nulls);
    visitor.child("collation", collation);
    visitor.number("with_fill", with_fill);
    visitor.child("fill_from", fill_from);
    visitor.child("fill_to", fill_to);
    visitor.child("fill_step", fill_step);
    visitor.child("fill_staleness", fill_staleness);
}

void AstSelect::visit_fields(FieldVisitor& visitor)
{
    visitor.number("with_recursive", with_recursive);
    visitor.children("with", with);
    visitor.number("distinct", distinct);
    visitor.children("projection", projection);
    visitor.children("from", from);
    visitor.child("prewhere", prewhere);
    visitor.child("where", where);
    visitor.number("group_by_all", group_by_all);
    visitor.choice("group_by_mode", group_by_mode);
    visitor.number("with_totals", with_totals);
    visitor.children("group_by", group_by);
    visitor.child("having", having);
    visitor.children("windows", windows);
    visitor.child("qualify", qualify);
    visitor.number("order_by_all", order_by_all);
    visitor.children("order_by", order_by);
    visitor.number("has_interpolate", has_interpolate);
    visitor.children("interpolate", interpolate);
    visitor.child("limit_by_limit", limit_by_limit);
    visitor.child("limit_by_offset", limit_by_offset);
    visitor.number("limit_by_all", limit_by_all);
    visitor.children("limit_by", limit_by);
    visitor.child("limit", limit);
    visitor.child("offset", offset);
    visitor.number("with_ties", with_ties);
    visitor.child("settings", settings);
}

void AstSelectUnion::visit_fields(FieldVisitor& visitor)
{
    visitor.children("selects", selects);
    for (SetOperation one : operations)
        visitor.choice("operations", one);
}

void AstQuery::visit_fields(FieldVisitor& visitor)
{
    visitor.child("statement", statement);
    visitor.child("outfile", outfile);
    visitor.number("outfile_append", outfile_append);
    visitor.number("outfile_truncate", outfile_truncate);
    visitor.number("outfile_stdout", outfile_stdout);
    visitor.child("compression", compression);
    visitor.child("compression_level", compression_level);
    visitor.text("format", format);
    visitor.child("settings", settings);
}

void AstSetQuery::visit_fields(FieldVisitor& visitor)
{
    visit_list(visitor, "changes", changes);
    visitor.number("is_statement", is_statement);
}

void AstInsert::visit_fields(FieldVisitor& visitor)
{
    target.visit_fields(visitor);
    visitor.child("table_function", table_function);
    visitor.child("partition_by", partition_by);
    visitor.number("has_columns", has_columns);
    visitor.children("columns", columns);
    visitor.child("settings", settings);
    visitor.child("select", select);
    visitor.child("infile", infile);
    visitor.child("compression", compression);
    visitor.text("format", format);
}

void AstDrop::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("action", action);
    visitor.choice("object", object);
    visitor.number("temporary", temporary);
    visitor.number("if_exists", if_exists);
    visitor.number("if_empty", if_empty);
    visitor.number("permanently", permanently);
    visitor.number("sync", sync);
    visit_list(visitor, "names", names);
    visitor.text("database", database);
    visitor.child("database_parameter", database_parameter);
    visitor.child("like", like);
    visitor.number("not_like", not_like);
    visitor.number("case_insensitive_like", case_insensitive_like);
    visitor.text("cluster", cluster);
    visitor.text("uuid", uuid);
    visitor.child("settings", settings);
}

void AstRename::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("object", object);
    visitor.number("exchange", exchange);
    visitor.number("if_exists", if_exists);
    visit_list(visitor, "pairs", pairs);
    visitor.text("cluster", cluster);
}

void AstExists::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("object", object);
    visitor.number("temporary", temporary);
    name.visit_fields(visitor);
}

void AstShow::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("show", show);
    visitor.number("temporary", temporary);
    visitor.number("full", full);
    visitor.number("extended", extended);
    visitor.number("changed", changed);
    name.visit_fields(visitor);
    visitor.text("database", database);
    visitor.texts("names", names);
    visitor.child("like", like);
    visitor.number("not_like", not_like);
    visitor.number("case_insensitive_like", case_insensitive_like);
    visitor.child("where", where);
    visitor.child("limit", limit);
    visitor.number("with_implicit", with_implicit);
    visitor.number("with_final", with_final);
}

void AstExplain::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("explain", explain);
    visitor.child("settings", settings);
    visitor.child("query", query);
    visitor.child("table_function", table_function);
}

void AstSystem::visit_fields(FieldVisitor& visitor)
{
    visitor.text("command", command);
    visitor.text("cluster", cluster);
    table.visit_fields(visitor);
    visitor.children("arguments", arguments);
    visitor.child("settings", settings);
}

void AstOptimize::visit_fields(FieldVisitor& visitor)
{
    table.visit_fields(visitor);
    visitor.text("cluster", cluster);
    visitor.child("partition", partition);
    visitor.number("is_final", is_final);
    visitor.number("force", force);
    visitor.number("cleanup", cleanup);
    visitor.number("dry_run", dry_run);
    visitor.children("parts", parts);
    visitor.number("deduplicate", deduplicate);
    visitor.children("deduplicate_by", deduplicate_by);
    visitor.child("settings", settings);
}

void AstKill::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("target", target);
    visitor.choice("mode", mode);
    visitor.text("cluster", cluster);
    visitor.child("where", where);
}

void AstCheck::visit_fields(FieldVisitor& visitor)
{
    visitor.number("all_tables", all_tables);
    table.visit_fields(visitor);
    visitor.child("partition", partition);
    visitor.child("settings", settings);
}

void AstBackup::visit_fields(FieldVisitor& visitor)
{
    visitor.number("restore", restore);
    visit_list(visitor, "elements", elements);
    visitor.child("location", location);
    visitor.text("cluster", cluster);
    visitor.number("async", async);
    visitor.number("sync", sync);
    visitor.child("settings", settings);
}

void AstDelete::visit_fields(FieldVisitor& visitor)
{
    table.visit_fields(visitor);
    visitor.text("cluster", cluster);
    visitor.child("partition", partition);
    visitor.child("where", where);
    visitor.child("settings", settings);
}

void AstUpdate::visit_fields(FieldVisitor& visitor)
{
    table.visit_fields(visitor);
    visitor.text("cluster", cluster);
    visitor.children("assignments", assignments);
    visitor.child("partition", partition);
    visitor.child("where", where);
    visitor.child("settings", settings);
}

void AstPartition::visit_fields(FieldVisitor& visitor)
{
    visitor.number("all", all);
    visitor.number("is_part", is_part);
    visitor.child("id", id);
    visitor.child("value", value);
}

void AstColumnDeclaration::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.child("type", type);
    visitor.choice("null_modifier", null_modifier);
    visitor.choice("default_kind", default_kind);
    visitor.child("default_expression", default_expression);
    visitor.child("comment", comment);
    visitor.child("codec", codec);
    visitor.child("statistics", statistics);
    visitor.child("ttl", ttl);
    visitor.child("collation", collation);
    visitor.child("settings", settings);
}

void AstIndexDeclaration::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.child("expression", expression);
    visitor.child("type", type);
    visitor.child("granularity", granularity);
    visitor.number("unique", unique);
}

void AstConstraintDeclaration::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.number("assume", assume);
    visitor.child("expression", expression);
}

void AstProjectionDeclaration::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.child("query", query);
    visitor.child("index_expression", index_expression);
    visitor.child("index_type", index_type);
    visitor.child("settings", settings);
}

void AstTtlElement::visit_fields(FieldVisitor& visitor)
{
    visitor.child("expression", expression);
    visitor.choice("action", action);
    visitor.number("explicit_delete", explicit_delete);
    visitor.number("if_exists", if_exists);
    visitor.text("destination", destination);
    visitor.child("where", where);
    visitor.children("group_by", group_by);
    visitor.children("assignments", assignments);
    visitor.child("codec", codec);
}

void AstStorage::visit_fields(FieldVisitor& visitor)
{
    visitor.child("engine", engine);
    visitor.child("partition_by", partition_by);
    visitor.child("primary_key", primary_key);
    visitor.child("order_by", order_by);
    visitor.child("sample_by", sample_by);
    visitor.children("ttl", ttl);
    visitor.child("settings", settings);
}

void AstRefreshStrategy::visit_fields(FieldVisitor& visitor)
{
    visitor.number("after", after);
    visitor.child("period", period);
    visitor.child("offset", offset);
    visitor.child("randomize", randomize);
    visit_list(visitor, "depends_on", depends_on);
    visitor.number("append", append);
    visitor.child("settings", settings);
}

void AstCreateTable::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("create", create);
    visitor.number("attach", attach);
    visitor.number("replace_table", replace_table);
    visitor.number("create_or_replace", create_or_replace);
    visitor.number("temporary", temporary);
    visitor.number("if_not_exists", if_not_exists);
    name.visit_fields(visitor);
    visitor.text("uuid", uuid);
    visitor.text("cluster", cluster);
    visitor.number("has_columns", has_columns);
    visitor.children("columns", columns);
    visitor.children("indices", indices);
    visitor.children("constraints", constraints);
    visitor.children("projections", projections);
    visitor.texts("column_names", column_names);
    visitor.child("storage", storage);
    visitor.child("select", select);
    as_table.visit_fields(visitor);
    visitor.child("as_table_function", as_table_function);
    visitor.number("clone", clone);
    visitor.number("empty", empty);
    visitor.child("attach_from", attach_from);
    visitor.number("has_attach_as", has_attach_as);
    visitor.number("attach_as_replicated", attach_as_replicated);
    to_table.visit_fields(visitor);
    visitor.text("to_uuid", to_uuid);
    visitor.number("populate", populate);
    visitor.child("refresh", refresh);
    visitor.text("sql_security", sql_security);
    visitor.text("definer", definer);
    visitor.child("comment", comment);
}

void AstCreateDatabase::visit_fields(FieldVisitor& visitor)
{
    visitor.number("attach", attach);
    visitor.number("if_not_exists", if_not_exists);
    visitor.text("name", name);
    visitor.child("name_parameter", name_parameter);
    visitor.text("uuid", uuid);
    visitor.text("cluster", cluster);
    visitor.child("storage", storage);
    visitor.child("comment", comment);
}

void AstCreateFunction::visit_fields(FieldVisitor& visitor)
{
    visitor.number("or_replace", or_replace);
    visitor.number("if_not_exists", if_not_exists);
    visitor.text("name", name);
    visitor.text("cluster", cluster);
    visitor.child("lambda", lambda);
}

void AstDictionaryAttribute::visit_fields(FieldVisitor& visitor)
{
    visitor.text("name", name);
    visitor.child("type", type);
    visitor.child("default_value", default_value);
    visitor.child("expression", expression);
    visitor.number("hierarchical", hierarchical);
    visitor.number("bidirectional", bidirectional);
    visitor.number("injective", injective);
    visitor.number("is_object_id", is_object_id);
}

void AstCreateDictionary::visit_fields(FieldVisitor& visitor)
{
    visitor.number("attach", attach);
    visitor.number("or_replace", or_replace);
    visitor.number("if_not_exists", if_not_exists);
    name.visit_fields(visitor);
    visitor.text("uuid", uuid);
    visitor.text("cluster", cluster);
    visitor.children("attributes", attributes);
    visitor.children("primary_key", primary_key);
    visitor.child("source", source);
    visitor.child("layout", layout);
    visitor.number("has_lifetime", has_lifetime);
    visitor.number("lifetime_min_s", static_cast<int64_t>(lifetime_min_s));
    visitor.number("lifetime_max_s", static_cast<int64_t>(lifetime_max_s));
    visitor.text("range_min", range_min);
    visitor.text("range_max", range_max);
    visitor.child("settings", settings);
    visitor.child("comment", comment);
}

void AstAlterCommand::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("action", action);
    visitor.number("if_exists", if_exists);
    visitor.number("if_not_exists", if_not_exists);
    visitor.text("name", name);
    visitor.text("new_name", new_name);
    visitor.texts("names", names);
    visitor.child("declaration", declaration);
    visitor.number("first", first);
    visitor.text("after", after);
    visitor.text("remove", remove);
    visitor.number("column_settings_modified", column_settings_modified);
    visitor.number("column_settings_reset", column_settings_reset);
    visit_list(visitor, "column_settings", column_settings);
    visitor.child("partition", partition);
    visitor.child("expression", expression);
    visitor.children("ttl", ttl);
    visitor.children("statistics_types", statistics_types);
    visitor.child("settings", settings);
    visitor.child("select", select);
    visitor.child("refresh", refresh);
    visitor.child("comment", comment);
    visitor.text("sql_security", sql_security);
    visitor.text("definer", definer);
    visitor.child("where", where);
    visitor.children("assignments", assignments);
    visitor.choice("destination", destination);
    visitor.text("destination_name", destination_name);
    visitor.text("with_name", with_name);
    table.visit_fields(visitor);
}

void AstAlter::visit_fields(FieldVisitor& visitor)
{
    visitor.number("is_database", is_database);
    visitor.number("temporary", temporary);
    visitor.number("if_exists", if_exists);
    table.visit_fields(visitor);
    visitor.text("cluster", cluster);
    visitor.number("create_or_drop_index", create_or_drop_index);
    visitor.children("commands", commands);
    visitor.child("settings", settings);
}

void AstSetRole::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("action", action);
    roles.visit_fields(visitor);
    to.visit_fields(visitor);
}

void AstGrant::visit_fields(FieldVisitor& visitor)
{
    visitor.number("revoke", revoke);
    visitor.number("grant_option", grant_option);
    visitor.number("admin_option", admin_option);
    visitor.number("with_replace", with_replace);
    visitor.number("current_grants", current_grants);
    visit_list(visitor, "elements", elements);
    roles.visit_fields(visitor);
    grantees.visit_fields(visitor);
    visitor.text("cluster", cluster);
}

void AstCreateUser::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("verb", verb);
    visitor.number("or_replace", or_replace);
    visitor.number("if_exists", if_exists);
    visitor.number("if_not_exists", if_not_exists);
    visitor.texts("names", names);
    visitor.text("new_name", new_name);
    visitor.text("cluster", cluster);
    visitor.text("storage", storage);
    visitor.number("add_identified", add_identified);
    visitor.number("reset_authentication", reset_authentication);
    visit_list(visitor, "authentication", authentication);
    visit_list(visitor, "hosts", hosts);
    visit_list(visitor, "add_hosts", add_hosts);
    visit_list(visitor, "drop_hosts", drop_hosts);
    visitor.child("valid_until", valid_until);
    visitor.number("has_default_roles", has_default_roles);
    default_roles.visit_fields(visitor);
    visitor.text("default_database", default_database);
    visitor.number("has_default_database", has_default_database);
    visitor.number("has_grantees", has_grantees);
    grantees.visit_fields(visitor);
    settings.visit_fields(visitor);
}

void AstCreateRole::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("verb", verb);
    visitor.number("or_replace", or_replace);
    visitor.number("if_exists", if_exists);
    visitor.number("if_not_exists", if_not_exists);
    visitor.texts("names", names);
    visitor.text("new_name", new_name);
    visitor.text("cluster", cluster);
    visitor.text("storage", storage);
    settings.visit_fields(visitor);
}

void AstCreateRowPolicy::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("verb", verb);
    visitor.number("or_replace", or_replace);
    visitor.number("if_exists", if_exists);
    visitor.number("if_not_exists", if_not_exists);
    visitor.texts("names", names);
    visit_list(visitor, "tables", tables);
    visitor.text("new_name", new_name);
    visitor.text("cluster", cluster);
    visitor.text("storage", storage);
    visitor.number("restrictive", restrictive);
    visitor.number("has_restrictive", has_restrictive);
    visitor.child("filter", filter);
    visitor.number("has_filter", has_filter);
    to.visit_fields(visitor);
}

void AstCreateQuota::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("verb", verb);
    visitor.number("or_replace", or_replace);
    visitor.number("if_exists", if_exists);
    visitor.number("if_not_exists", if_not_exists);
    visitor.texts("names", names);
    visitor.text("new_name", new_name);
    visitor.text("cluster", cluster);
    visitor.text("storage", storage);
    visitor.number("not_keyed", not_keyed);
    visitor.texts("keys", keys);
    visit_list(visitor, "intervals", intervals);
    to.visit_fields(visitor);
}

void AstCreateSettingsProfile::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("verb", verb);
    visitor.number("or_replace", or_replace);
    visitor.number("if_exists", if_exists);
    visitor.number("if_not_exists", if_not_exists);
    visitor.texts("names", names);
    visitor.text("new_name", new_name);
    visitor.text("cluster", cluster);
    visitor.text("storage", storage);
    settings.visit_fields(visitor);
    to.visit_fields(visitor);
}

void AstDropAccess::visit_fields(FieldVisitor& visitor)
{
    visitor.choice("entity", entity);
    visitor.number("if_exists", if_exists);
    visitor.texts("names", names);
    visit_list(visitor, "tables", tables);
    visitor.text("cluster", cluster);
    visitor.text("storage", storage);
}

} // namespace basalt
