//! The functions of a library: their declarations, and the bodies that hand everything on to the run time.
//!
//! ```text
//! int futhark_entry_mvm(struct futhark_context *ctx, struct futhark_f32_1d **out0, const struct futhark_f32_2d *in0, ...)
//! { void *in[] = {(void *)in0, ...}; return warpwise_call(ctx, 0, out0, in); }
//! ```
//!
//! Names and order of parameters are Futhark's, so that programs written for its libraries compile with ours.

use warpwise_standalone::interface::{
    EntryInterface, Field, Interface, Kind, NamedType, SumVariant, TypeRef,
};

use crate::api::Api;
use crate::c_types::{input, names, output, passed, scalar, sizes};

/// A function for C.
pub struct Function {
    /// `int f(int x)`.
    pub signature: String,
    /// What stands between the braces.
    pub body: String,
}

impl Function {
    /// What it is called.
    pub fn name(&self) -> &str {
        let before = self.signature.split('(').next().unwrap_or_default();
        before.rsplit([' ', '*']).next().unwrap_or_default()
    }
}

/// The functions of a library, in sections.
pub struct Functions<'i> {
    interface: &'i Interface,
    /// What was made so far.
    made: Vec<Function>,
}

/// The header.
pub fn header(interface: &Interface, api: Api) -> String {
    let declared = |functions: Vec<Function>| -> String {
        functions.iter().map(|function| format!("{};\n", function.signature)).collect()
    };
    let structs: String =
        interface.types.iter().map(|ty| format!("struct futhark_{};\n", ty.c_name)).collect();
    format!(
        "{HEAD}\n// Configuration and context\n\n{}\n// Arrays and opaque values\n\n{structs}\n{}\n// Entry points\n\n{}{TAIL}",
        declared(surroundings()),
        declared(values(interface)),
        declared(entries(interface, api)),
    )
}

/// Every function.
pub fn all(interface: &Interface, api: Api) -> Vec<Function> {
    surroundings().into_iter().chain(values(interface)).chain(entries(interface, api)).collect()
}

const HEAD: &str = "#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern \"C\" {
#endif

#define FUTHARK_BACKEND_multicore
#define FUTHARK_SUCCESS 0
#define FUTHARK_PROGRAM_ERROR 2
#define FUTHARK_OUT_OF_MEMORY 3

struct futhark_context_config;
struct futhark_context;
";

const TAIL: &str = "
#ifdef __cplusplus
}
#endif
";

/// Configurations and contexts: the same for every program.
fn surroundings() -> Vec<Function> {
    let config = "struct futhark_context_config *cfg";
    let context = "struct futhark_context *ctx";
    let set = |name: &str, value: &str, what: u32| {
        let signature = format!("void futhark_context_config_set_{name}({config}, int {value})");
        function(signature, format!("warpwise_config_set(cfg, {what}, {value});"))
    };
    vec![
        function(
            "struct futhark_context_config *futhark_context_config_new(void)".into(),
            "return warpwise_config_new(&program);".into(),
        ),
        function(format!("void futhark_context_config_free({config})"), "warpwise_config_free(cfg);".into()),
        set("debugging", "flag", 0),
        set("profiling", "flag", 1),
        set("logging", "flag", 2),
        set("num_threads", "n", 3),
        function(
            format!("void futhark_context_config_set_memory_limit({config}, uint64_t bytes)"),
            "warpwise_config_set_memory_limit(cfg, bytes);".into(),
        ),
        function(
            format!("void futhark_context_config_set_cache_file({config}, const char *fname)"),
            "(void)cfg; (void)fname;".into(),
        ),
        function(
            format!(
                "int futhark_context_config_set_tuning_param({config}, const char *param_name, size_t new_value)"
            ),
            "return warpwise_config_set_tuning_param(cfg, param_name, new_value);".into(),
        ),
        function(
            "int futhark_get_tuning_param_count(void)".into(),
            "return (int)warpwise_tuning_parameter_count(&program);".into(),
        ),
        function(
            "const char *futhark_get_tuning_param_name(int i)".into(),
            "return warpwise_tuning_parameter_name(&program, i);".into(),
        ),
        function(
            "const char *futhark_get_tuning_param_class(int i)".into(),
            "(void)i;\n  return \"threshold\";".into(),
        ),
        function(
            format!("struct futhark_context *futhark_context_new({config})"),
            "return warpwise_context_new(cfg);".into(),
        ),
        function(format!("void futhark_context_free({context})"), "warpwise_context_free(ctx);".into()),
        function(format!("int futhark_context_sync({context})"), "(void)ctx;\n  return 0;".into()),
        // Not one of Futhark's: ends a call from another thread or a signal handler.
        function(format!("void futhark_context_cancel({context})"), "warpwise_context_cancel(ctx);".into()),
        function(
            format!("char *futhark_context_get_error({context})"),
            "return warpwise_context_get_error(ctx);".into(),
        ),
        function(
            format!("void futhark_context_set_logging_file({context}, FILE *f)"),
            "warpwise_context_set_logging_file(ctx, f);".into(),
        ),
        function(
            format!("void futhark_context_pause_profiling({context})"),
            "warpwise_context_profile(ctx, 0);".into(),
        ),
        function(
            format!("void futhark_context_unpause_profiling({context})"),
            "warpwise_context_profile(ctx, 1);".into(),
        ),
        function(
            format!("char *futhark_context_report({context})"),
            "return warpwise_context_report(ctx);".into(),
        ),
        function(
            format!("int futhark_context_clear_caches({context})"),
            "return warpwise_context_clear_caches(ctx);".into(),
        ),
    ]
}

fn values(interface: &Interface) -> Vec<Function> {
    let mut functions = Functions { interface, made: Vec::new() };
    for (number, ty) in interface.types.iter().enumerate() {
        functions.of_type(number, ty);
    }
    functions.made
}

fn entries(interface: &Interface, api: Api) -> Vec<Function> {
    let entries = interface.entries.iter().enumerate();
    entries.map(|(number, entry)| call(interface, api, number, entry)).collect()
}

fn call(interface: &Interface, api: Api, number: usize, entry: &EntryInterface) -> Function {
    let parts = match api {
        Api::V0_25 => entry.outputs.as_slice(),
        Api::V0_26 => &[],
    };
    let results = if parts.is_empty() { &[entry.output] } else { parts };
    let results = results.iter().enumerate().map(|(i, &ty)| output(interface, ty, &format!("out{i}")));
    let mut params: Vec<String> = std::iter::once(CONTEXT.to_string()).chain(results).collect();
    let named = entry.inputs.iter().enumerate();
    params.extend(named.map(|(i, param)| input(interface, param.ty, &format!("in{i}"))));
    let passed: Vec<String> =
        entry.inputs.iter().enumerate().map(|(i, param)| passed(param.ty, &format!("in{i}"))).collect();
    let call = match parts.len() {
        0 | 1 => format!("return warpwise_call(ctx, {number}, out0, in);"),
        count => {
            let parts = (0..count)
                .map(|i| format!("  if (status == 0) status = warpwise_project(ctx, out{i}, tuple, {i});\n"));
            format!(
                "void *tuple;\n  int status = warpwise_call(ctx, {number}, &tuple, in);\n  if (status != 0) return status;\n\
                 {}  warpwise_free(ctx, tuple);\n  return status;",
                parts.collect::<String>()
            )
        }
    };
    let body = array("in", &passed) + &call;
    function(format!("int futhark_entry_{}({})", entry.c_name, params.join(", ")), body)
}

const CONTEXT: &str = "struct futhark_context *ctx";

impl Functions<'_> {
    fn of_type(&mut self, number: usize, ty: &NamedType) {
        let (name, handle) = (&ty.c_name, format!("struct futhark_{}", ty.c_name));
        match &ty.kind {
            Kind::Array { element, rank } => {
                self.array(number, name, &handle, scalar(*element), *rank);
                self.indexing(name, &handle, TypeRef::Scalar(*element), *rank);
                self.add(
                    format!("int futhark_free_{name}({CONTEXT}, {handle} *arr)"),
                    "return warpwise_free(ctx, arr);",
                );
                return;
            }
            Kind::Record(fields) => {
                self.projections(name, &handle, fields);
                self.assemble(&format!("new_{name}"), number, &handle, fields);
            }
            Kind::Sum(variants) => self.sum(number, name, &handle, variants),
            Kind::OpaqueArray { element, rank, fields } => {
                if let Some(fields) = fields {
                    self.projections(name, &handle, fields);
                    self.assemble(&format!("zip_{name}"), number, &handle, fields);
                }
                self.indexing(name, &handle, *element, *rank);
                self.opaque_array(number, name, &handle, *element, *rank);
            }
        }
        self.bytes(number, name, &handle);
        self.add(
            format!("int futhark_free_{name}({CONTEXT}, {handle} *obj)"),
            "return warpwise_free(ctx, obj);",
        );
    }

    fn array(&mut self, number: usize, name: &str, handle: &str, element: &str, rank: usize) {
        let (sizes, dims) = (sizes(rank, "dim"), names(rank, "dim"));
        let body = format!(
            "int64_t shape[] = {{{dims}}};\n  return warpwise_new_array(ctx, {number}, data, shape);"
        );
        self.add(format!("{handle} *futhark_new_{name}({CONTEXT}, const {element} *data, {sizes})"), &body);
        self.add(format!("{handle} *futhark_new_raw_{name}({CONTEXT}, unsigned char *data, {sizes})"), &body);
        self.add(
            format!("int futhark_values_{name}({CONTEXT}, {handle} *arr, {element} *data)"),
            "return warpwise_values(ctx, arr, data);",
        );
        self.add(
            format!("unsigned char *futhark_values_raw_{name}({CONTEXT}, {handle} *arr)"),
            "return warpwise_values_raw(ctx, arr);",
        );
    }

    /// Elements and sizes of any array.
    fn indexing(&mut self, name: &str, handle: &str, element: TypeRef, rank: usize) {
        let (sizes, index) = (sizes(rank, "i"), names(rank, "i"));
        let out = output(self.interface, element, "out");
        self.add(
            format!("int futhark_index_{name}({CONTEXT}, {out}, {handle} *arr, {sizes})"),
            &format!("int64_t index[] = {{{index}}};\n  return warpwise_index(ctx, out, arr, index);"),
        );
        self.add(
            format!("const int64_t *futhark_shape_{name}({CONTEXT}, {handle} *arr)"),
            "return warpwise_shape(ctx, arr);",
        );
    }

    fn opaque_array(&mut self, number: usize, name: &str, handle: &str, element: TypeRef, rank: usize) {
        let TypeRef::Named(of) = element else { return };
        let of = format!("struct futhark_{}", self.interface.types[of].c_name);
        self.add(
            format!("int futhark_set_{name}({CONTEXT}, {handle} *arr, {of} *elem, {})", sizes(rank, "i")),
            &format!(
                "int64_t index[] = {{{}}};\n  return warpwise_set(ctx, arr, elem, index);",
                names(rank, "i")
            ),
        );
        self.add(
            format!("int futhark_new_{name}({CONTEXT}, {handle} **out, {of} **elems, {})", sizes(rank, "dim")),
            &format!(
                "int64_t shape[] = {{{}}};\n  return warpwise_new_opaque_array(ctx, out, {number}, elems, shape);",
                names(rank, "dim")
            ),
        );
    }

    fn projections(&mut self, name: &str, handle: &str, fields: &[Field]) {
        for (number, field) in fields.iter().enumerate() {
            let out = output(self.interface, field.ty, "out");
            self.add(
                format!("int futhark_project_{name}_{}({CONTEXT}, {out}, const {handle} *obj)", field.c_name),
                &format!("return warpwise_project(ctx, out, obj, {number});"),
            );
        }
    }

    fn assemble(&mut self, name: &str, number: usize, handle: &str, fields: &[Field]) {
        let mut params = vec![CONTEXT.to_string(), format!("{handle} **out")];
        let field_name = |field: &Field| format!("f_{}", field.c_name);
        params.extend(fields.iter().map(|field| input(self.interface, field.ty, &field_name(field))));
        let passed: Vec<String> = fields.iter().map(|field| passed(field.ty, &field_name(field))).collect();
        let body = format!("{}return warpwise_assemble(ctx, out, {number}, in);", array("in", &passed));
        self.add(format!("int futhark_{name}({})", params.join(", ")), &body);
    }

    fn sum(&mut self, number: usize, name: &str, handle: &str, variants: &[SumVariant]) {
        for (position, variant) in variants.iter().enumerate() {
            let payload: Vec<(TypeRef, String)> =
                variant.payload.iter().enumerate().map(|(i, (ty, _))| (*ty, format!("v{i}"))).collect();
            let mut params = vec![CONTEXT.to_string(), format!("{handle} **out")];
            params.extend(payload.iter().map(|(ty, name)| input(self.interface, *ty, name)));
            let given: Vec<String> = payload.iter().map(|(ty, name)| passed(*ty, name)).collect();
            self.add(
                format!("int futhark_new_{name}_{}({})", variant.c_name, params.join(", ")),
                &format!(
                    "{}return warpwise_construct(ctx, out, {number}, {position}, in);",
                    array("in", &given)
                ),
            );
            let mut params = vec![CONTEXT.to_string()];
            params.extend(payload.iter().map(|(ty, name)| output(self.interface, *ty, name)));
            params.push(format!("const {handle} *obj"));
            let places: Vec<String> = payload.iter().map(|(_, name)| name.clone()).collect();
            self.add(
                format!("int futhark_destruct_{name}_{}({})", variant.c_name, params.join(", ")),
                &format!("{}return warpwise_destruct(ctx, outs, obj, {position});", array("outs", &places)),
            );
        }
        self.add(
            format!("int futhark_variant_{name}({CONTEXT}, const {handle} *v)"),
            "return warpwise_variant(ctx, v);",
        );
    }

    /// Values as bytes.
    fn bytes(&mut self, number: usize, name: &str, handle: &str) {
        self.add(
            format!("int futhark_store_{name}({CONTEXT}, const {handle} *obj, void **p, size_t *n)"),
            "return warpwise_store(ctx, obj, p, n);",
        );
        self.add(
            format!("{handle} *futhark_restore_{name}({CONTEXT}, const void *p)"),
            &format!("return warpwise_restore(ctx, {number}, p);"),
        );
    }

    fn add(&mut self, signature: String, body: &str) {
        self.made.push(function(signature, body.to_string()));
    }
}

fn function(signature: String, body: String) -> Function {
    Function { signature, body }
}

/// An array of pointers; C has none without elements.
fn array(name: &str, elements: &[String]) -> String {
    let elements = if elements.is_empty() { "0".to_string() } else { elements.join(", ") };
    format!("void *{name}[] = {{{elements}}};\n  ")
}
