//! Makes the script that loads a module of WebAssembly: `bindgen MODULE FOLDER`.

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<_> = std::env::args().skip(1).collect();
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&paths[0]).out_name("queens").no_modules(true)?.typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    Ok(bindgen.generate(&paths[1])?)
}
