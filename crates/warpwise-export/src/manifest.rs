//! The manifest: a machine-readable description of a library's types and entry points, in the format of Futhark's libraries.

use serde_json::{Map, Value, json};
use warpwise_standalone::interface::{EntryInterface, Field, Interface, Kind, NamedType, Output, TypeRef};

use crate::api::Api;

/// Generates the manifest of a library.
pub fn manifest(interface: &Interface, api: Api) -> Value {
    let types = api.types(interface).map(|(_, ty)| (ty.name.clone(), describe(interface, ty)));
    let entries = interface.entries.iter().map(|point| (point.name.clone(), entry(interface, api, point)));
    json!({
        "backend": "multicore",
        "version": concat!("warpwise ", env!("CARGO_PKG_VERSION")),
        "entry_points": Value::Object(entries.collect::<Map<_, _>>()),
        "types": Value::Object(types.collect::<Map<_, _>>()),
    })
}

fn entry(interface: &Interface, api: Api, entry: &EntryInterface) -> Value {
    let input = |input: &warpwise_standalone::interface::Input| json!({"name": input.name, "type": interface.name(input.ty), "unique": input.unique});
    let output = |output: &Output| json!({"type": interface.name(output.ty), "unique": output.unique});
    let (results, described) = match api {
        Api::V0_25 => ("outputs", api.results(entry).iter().map(output).collect()),
        Api::V0_26 => ("output", output(&entry.output)),
    };
    json!({
        "cfun": format!("futhark_entry_{}", entry.c_name),
        "inputs": entry.inputs.iter().map(input).collect::<Vec<_>>(),
        results: described,
        "tuning_params": [],
        "attributes": [],
    })
}

fn describe(interface: &Interface, ty: &NamedType) -> Value {
    let name = &ty.c_name;
    let operation = |operation: &str| format!("futhark_{operation}_{name}");
    let ctype = format!("struct futhark_{name} *");
    let opaque = |form: &str, description: Value| {
        json!({
            "kind": "opaque",
            "ctype": ctype,
            "ops": {"free": operation("free"), "store": operation("store"), "restore": operation("restore")},
            form: description,
        })
    };
    match &ty.kind {
        Kind::Array { element, rank } => {
            let names = ["free", "shape", "values", "values_raw", "new", "new_raw", "index"];
            let ops = names.map(|name| (name.to_string(), Value::String(operation(name))));
            json!({
                "kind": "array",
                "ctype": ctype,
                "rank": rank,
                "elemtype": element.name(),
                "ops": Value::Object(ops.into_iter().collect()),
            })
        }
        Kind::Record(fields) => {
            opaque("record", json!({"new": operation("new"), "fields": fields_of(interface, name, fields)}))
        }
        Kind::Sum(variants) => {
            let variants = variants.iter().map(|variant| {
                let payload = variant.payload.iter().map(|(ty, _)| interface.name(*ty)).collect::<Vec<_>>();
                json!({
                    "name": variant.name,
                    "construct": format!("futhark_new_{name}_{}", variant.c_name),
                    "destruct": format!("futhark_destruct_{name}_{}", variant.c_name),
                    "payload": payload,
                })
            });
            opaque("sum", json!({"variant": operation("variant"), "variants": variants.collect::<Vec<_>>()}))
        }
        Kind::OpaqueArray { element, rank, fields } => {
            let mut array = Map::new();
            array.insert("rank".into(), json!(rank));
            array.insert("elemtype".into(), json!(interface.name(*element)));
            array.insert("index".into(), json!(operation("index")));
            array.insert("shape".into(), json!(operation("shape")));
            if let TypeRef::Named(_) = element {
                array.insert("new".into(), json!(operation("new")));
                array.insert("set".into(), json!(operation("set")));
            }
            match fields {
                None => opaque("opaque_array", Value::Object(array)),
                Some(fields) => {
                    array.insert("zip".into(), json!(operation("zip")));
                    array.insert("fields".into(), fields_of(interface, name, fields));
                    opaque("record_array", Value::Object(array))
                }
            }
        }
    }
}

fn fields_of(interface: &Interface, name: &str, fields: &[Field]) -> Value {
    let one = |field: &Field| {
        let project = format!("futhark_project_{name}_{}", field.c_name);
        json!({"name": field.name, "type": interface.name(field.ty), "project": project})
    };
    Value::Array(fields.iter().map(one).collect())
}
